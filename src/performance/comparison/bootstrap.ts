import { type LatencyHistogram, mergeHistograms } from '../load/latency-histogram.js';
import { type Measurement, type Slice, sumOf } from '../load/measurement.js';
import { figuresOf, type FigureName, FIGURES } from './figures.js';

/** The number of bootstrap samples. */
const RESAMPLES = 600;
/** Runs with fewer parts are resampled by request, because so few parts do not show their variation. */
export const MIN_SLICES = 5;
const SEED = 0x9e3779b9;

export type Interval = [number, number];

/** The bootstrap differences of b to a for each figure, in ascending order. */
export type Differences = Record<FigureName, number[]>;

/**
 * Estimates the variation of the difference of each figure by a block bootstrap: it resamples both runs repeatedly, in blocks of
 * neighbouring parts, because disturbances often last longer than one part. Deterministic: the same runs give the same differences.
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

/** Returns the central interval of sorted values with this share, widened around the observed value. */
export function intervalOf(sorted: readonly number[], share: number, observed = 0, widening = 1): Interval {
  const at = (part: number): number => {
    const value = sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
    return observed + widening * (value - observed);
  };
  return [at((1 - share) / 2), at((1 + share) / 2)];
}

/**
 * Returns the factor by which an interval from few blocks is too narrow: the quotient of the quantiles of Student's t-distribution
 * (Cornish-Fisher expansion) and of the normal distribution, for two runs of the shorter length, times Bessel's correction.
 */
export function wideningOf(a: Measurement, b: Measurement, share: number): number {
  const parts = Math.min(a.slices.length, b.slices.length);
  if (parts < MIN_SLICES) return 1;
  const blocks = parts / blockLength(parts);
  const freedom = 2 * (blocks - 1);
  const square = normalQuantile(share) ** 2;
  const student = 1 + (square + 1) / (4 * freedom) + (5 * square ** 2 + 16 * square + 3) / (96 * freedom ** 2);
  return student * Math.sqrt(blocks / (blocks - 1));
}

/** Returns the number of standard deviations around the mean that contain this share (Abramowitz and Stegun, 26.2.23). */
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

const blockLength = (parts: number): number => Math.ceil(Math.sqrt(parts));

/** Resamples the same number of parts, in blocks of neighbours with random starts. */
function drawBlocks(slices: readonly Slice[], random: () => number): Slice[] {
  const length = blockLength(slices.length);
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

/** Resamples each count with the variance of a Poisson distribution. */
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

/** A standard normal random number (Box-Muller transform). */
const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** The pseudorandom generator Mulberry32, with a fixed sequence for each seed. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
