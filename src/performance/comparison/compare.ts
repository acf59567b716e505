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
  /** b minus a. */
  difference: number;
  /** The difference as a fraction of a; null when a is 0. */
  relative: number | null;
  /** The 95 % confidence interval of the difference. */
  interval: Interval;
  verdict: Verdict;
}

export interface Comparison {
  verdict: Verdict;
  figures: FigureComparison[];
}

const CONFIDENCE = 0.95;
/**
 * The figures of the overall verdict, each with the smallest relative difference that counts (larger for the tail, which varies more) and
 * its share of the error probability. Together they are wrong in 5 % of cases (multiple comparisons); the median, which varies least, has
 * half of that.
 */
const DECISIVE: Partial<Record<FigureName, { least: number; error: number }>> = {
  p50_ms: { least: 0.05, error: 0.025 },
  p95_ms: { least: 0.1, error: 0.025 / 3 },
  rps: { least: 0.05, error: 0.025 / 3 },
  error_rate: { least: 0.05, error: 0.025 / 3 },
};
/** Smaller differences of the error rate do not count; two runs of the same server differ by as much. */
const LEAST_RELATIVE = 0.05;
const LEAST_ERROR_RATE = 0.001;

/** Two runs to compare. */
export interface Compared {
  a: Measurement;
  b: Measurement;
  /** Whether the overall verdict ignores the throughput, because the runs had different target rates. */
  ignoresThroughput?: boolean;
}

export const compareTask: Task<Compared, Comparison> = defineTask(import.meta.url, { compareMeasurements });

/** Compares two runs: b is better or worse than a, or the difference is not significant. */
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

/** A run that is worse in one figure is worse overall. */
function judgeAll(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('worse')) return 'worse';
  return verdicts.includes('better') ? 'better' : 'same';
}

const round = (value: number): number => Number(value.toPrecision(6));
