import { defineTask, type Task } from '../../core/workers/task.js';
import { type Measurement, mergeSlices } from '../load/measurement.js';
import { type Interval, intervalOf, resampleDifferences, wideningOf } from './bootstrap.js';
import { type Figure, type FigureName, FIGURES, figuresOf } from './figures.js';

export const VERDICTS = ['same', 'better', 'worse'] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface FigureComparison {
  name: FigureName;
  a: number;
  b: number;
  /** Of b to a. */
  difference: number;
  /** The difference as a part of a; null when a is 0. */
  relative: number | null;
  /** Within which the difference lies with a probability of 95 %. */
  interval: Interval;
  verdict: Verdict;
}

export interface Comparison {
  verdict: Verdict;
  figures: FigureComparison[];
}

const CONFIDENCE = 0.95;
/**
 * The figures by which the runs as a whole are judged, with the least part of each that counts (the tail of two equal runs differs by
 * more) and the error that each may make. Of several figures one is off by chance more often than each of them: together they are to be
 * wrong in 5 % of cases. The median, which varies least, has half of that.
 */
const DECISIVE: Partial<Record<FigureName, { least: number; error: number }>> = {
  p50_ms: { least: 0.05, error: 0.025 },
  p95_ms: { least: 0.1, error: 0.025 / 3 },
  rps: { least: 0.05, error: 0.025 / 3 },
  error_rate: { least: 0.05, error: 0.025 / 3 },
};
/** Smaller differences are of no consequence, and two runs of the same server differ by as much. */
const LEAST_RELATIVE = 0.05;
const LEAST_ERROR_RATE = 0.001;

/** Two runs to compare. */
export interface Compared {
  a: Measurement;
  b: Measurement;
  /** Whether the verdict on the whole leaves out the throughput, since the runs were not asked for the same. */
  ignoresThroughput?: boolean;
}

export const compareTask: Task<Compared, Comparison> = defineTask(import.meta.url, { compareMeasurements });

/** Compares two runs: whether b is better or worse than a, or whether what is between them may as well be chance. */
export function compareMeasurements({ a, b, ignoresThroughput }: Compared): Comparison {
  const [before, after] = [figuresOf(mergeSlices(a.slices)), figuresOf(mergeSlices(b.slices))];
  const differences = resampleDifferences(a, b);
  const intervalAt = ({ name }: Figure, share: number): Interval =>
    intervalOf(differences[name], share, after[name] - before[name], wideningOf(a, b, share));
  const judge = (figure: Figure, share: number, least: number): Verdict =>
    judgeFigure(figure, before[figure.name], after[figure.name], intervalAt(figure, share), least);
  const joint = FIGURES.flatMap((figure) => {
    const decisive = DECISIVE[figure.name];
    if (decisive === undefined || (figure.name === 'rps' && ignoresThroughput)) return [];
    return [judge(figure, 1 - decisive.error, decisive.least)];
  });
  return {
    verdict: judgeAll(joint),
    figures: FIGURES.map((figure) =>
      describe(
        figure.name,
        before[figure.name],
        after[figure.name],
        intervalAt(figure, CONFIDENCE),
        judge(figure, CONFIDENCE, LEAST_RELATIVE),
      ),
    ),
  };
}

function describe(name: FigureName, a: number, b: number, interval: Interval, verdict: Verdict): FigureComparison {
  return {
    ...{ name, a: round(a), b: round(b), difference: round(b - a) },
    relative: a === 0 ? null : round((b - a) / a),
    interval: [round(interval[0]), round(interval[1])],
    verdict,
  };
}

function judgeFigure({ name, better }: Figure, a: number, b: number, [low, high]: Interval, part: number): Verdict {
  const least = name === 'error_rate' ? LEAST_ERROR_RATE : part * Math.abs(a);
  const isCertain = low > 0 || high < 0;
  if (!isCertain || Math.abs(b - a) < least) return 'same';
  return b > a === (better === 'higher') ? 'better' : 'worse';
}

/** What is worse in one figure is worse, however much better in another. */
function judgeAll(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('worse')) return 'worse';
  return verdicts.includes('better') ? 'better' : 'same';
}

const round = (value: number): number => Number(value.toPrecision(6));
