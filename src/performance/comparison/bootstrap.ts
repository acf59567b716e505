import { type LatencyHistogram, mergeHistograms } from '../load/latency-histogram.js';
import { type Measurement, type Slice, sumOf } from '../load/measurement.js';
import { figuresOf, type FigureName, FIGURES } from './figures.js';

/** Times that each run is drawn anew. */
const RESAMPLES = 600;
/** Runs of fewer parts are resampled request by request: parts would be too few to show their variation. */
export const MIN_SLICES = 5;
const SEED = 0x9e3779b9;

export type Interval = [number, number];

/** For each figure the differences of b to a that chance alone could have made, in ascending order. */
export type Differences = Record<FigureName, number[]>;

/**
 * Draws both runs anew, again and again, and takes the difference of each figure: how it varies is how far a difference between the
 * two runs can be trusted. Neighbouring parts of a run are drawn together, for what disturbs one second often disturbs the next.
 * The same runs always give the same differences.
 */
export function resampleDifferences(a: Measurement, b: Measurement): Differences {
  const random = createRandom(SEED);
  const differences = Object.fromEntries(FIGURES.map(({ name }) => [name, [] as number[]])) as Differences;
  for (let index = 0; index < RESAMPLES; index++) {
    const [drawnA, drawnB] = [figuresOf(redraw(a.slices, random)), figuresOf(redraw(b.slices, random))];
    for (const { name } of FIGURES) differences[name].push(drawnB[name] - drawnA[name]);
  }
  for (const { name } of FIGURES) differences[name].sort((x, y) => x - y);
  return differences;
}

/** The middle part of sorted values, of this share, made wider around what was observed. */
export function intervalOf(sorted: readonly number[], share: number, observed = 0, widening = 1): Interval {
  const at = (part: number): number => {
    const value = sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
    return observed + widening * (value - observed);
  };
  return [at((1 - share) / 2), at((1 + share) / 2)];
}

/**
 * By how much an interval of this share is too narrow when it is made of few parts: the parts of short runs vary by chance less than
 * those they stand for. The quotient of the quantiles of Student's t (by Cornish and Fisher) and of the normal distribution, for two
 * runs of the shorter length, times Bessel's correction.
 */
export function wideningOf(a: Measurement, b: Measurement, share: number): number {
  const parts = Math.min(a.slices.length, b.slices.length);
  if (parts < MIN_SLICES) return 1;
  const freedom = 2 * (parts - 1);
  const square = normalQuantile(share) ** 2;
  const student = 1 + (square + 1) / (4 * freedom) + (5 * square ** 2 + 16 * square + 3) / (96 * freedom ** 2);
  return student * Math.sqrt(parts / (parts - 1));
}

/** Within so many deviations of its mean a normal distribution has this share (Abramowitz and Stegun, 26.2.23). */
function normalQuantile(share: number): number {
  const t = Math.sqrt(-2 * Math.log((1 - share) / 2));
  return t - (2.30753 + 0.27061 * t) / (1 + 0.99229 * t + 0.04481 * t * t);
}

function redraw(slices: readonly Slice[], random: () => number): Slice {
  const drawn =
    slices.length >= MIN_SLICES ? drawBlocks(slices, random) : slices.map((slice) => drawCounts(slice, random));
  const latencies = mergeHistograms(drawn.map((slice) => slice.latencies));
  const sum = (count: (slice: Slice) => number): number => drawn.reduce((total, slice) => total + count(slice), 0);
  return {
    ...{ start: 0, length: sum(({ length }) => length), bytes: 0, latencies },
    statuses: sumByKind(drawn.map(({ statuses }) => statuses)),
    errors: { all: sum(({ errors }) => sumOf(errors)) },
  };
}

/** As many parts as there are, in blocks of neighbours that begin anywhere. */
function drawBlocks(slices: readonly Slice[], random: () => number): Slice[] {
  const length = Math.round(Math.sqrt(slices.length));
  const drawn: Slice[] = [];
  while (drawn.length < slices.length) {
    const first = Math.floor(random() * slices.length);
    for (let offset = 0; offset < length && drawn.length < slices.length; offset++) {
      const slice = slices[(first + offset) % slices.length];
      if (slice) drawn.push(slice);
    }
  }
  return drawn;
}

/** Each count as it could have been: with the spread of a count that comes about by chance. */
function drawCounts(slice: Slice, random: () => number): Slice {
  const draw = (count: number): number => Math.max(0, Math.round(count + Math.sqrt(count) * normal(random)));
  const { latencies } = slice;
  const buckets = latencies.buckets.map(([bucket, count]): [number, number] => [bucket, draw(count)]);
  const count = buckets.reduce((sum, [, times]) => sum + times, 0);
  const scale = latencies.count === 0 ? 0 : count / latencies.count;
  const spread = latencies.count === 0 ? 0 : deviationOfMean(latencies) * normal(random);
  return {
    ...slice,
    latencies: { ...latencies, buckets, count, sum: latencies.sum * scale + spread * count },
    statuses: Object.fromEntries(Object.entries(slice.statuses).map(([status, times]) => [status, draw(times)])),
    errors: Object.fromEntries(Object.entries(slice.errors).map(([kind, times]) => [kind, draw(times)])),
  };
}

function deviationOfMean({ count, sum, sumOfSquares }: LatencyHistogram): number {
  return Math.sqrt(Math.max(0, sumOfSquares / count - (sum / count) ** 2) / count);
}

function sumByKind(all: readonly Record<string, number>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const counts of all) for (const [kind, times] of Object.entries(counts)) sums[kind] = (sums[kind] ?? 0) + times;
  return sums;
}

/** Box and Muller. */
const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Mulberry32: small, fast, and the same everywhere. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
