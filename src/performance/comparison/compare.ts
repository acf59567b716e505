import { defineTask, type Task } from '../../core/workers/task.js';
import { type Measurement, mergeSlices } from '../load/measurement.js';
import { stallsOf } from '../load/runner-results.js';
import { secondsOfStalls } from '../load/stalls.js';
import { type Interval, intervalOf, resampleDifferences, wideningOf } from './bootstrap.js';
import { type Figure, type FigureName, FIGURES, figuresOf } from './figures.js';

export const VERDICTS = ['same', 'better', 'worse'] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface FigureComparison {
  name: FigureName | 'stalled_share';
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
 * The confidence at which a figure is better or worse. It is higher than that of the intervals, so that two runs of one server differ in
 * any of the figures in less than 5 % of cases (multiple comparisons, of figures that depend on one another).
 */
const VERDICT_CONFIDENCE = 0.99;
/** The smallest difference of the share of time in which a server stalled. */
const LEAST_STALLED = 0.02;
/** The accuracy of the length of a stall, in seconds. */
const STALL_ACCURACY = 0.25;

/** Two runs to compare. */
export interface Compared {
  a: Measurement;
  b: Measurement;
  /** Whether the overall verdict ignores the throughput, because the runs had different target rates. */
  ignoresThroughput?: boolean;
}

export const compareTask: Task<Compared, Comparison> = defineTask(import.meta.url, { compareMeasurements });

/** Compares two runs: b is better or worse than a, or the difference is not significant. Worse in one figure is worse overall. */
export function compareMeasurements({ a, b, ignoresThroughput }: Compared): Comparison {
  const [before, after] = [figuresOf(mergeSlices(a.slices)), figuresOf(mergeSlices(b.slices))];
  const differences = resampleDifferences(a, b);
  const sampled = FIGURES.map((figure): FigureComparison => {
    const [from, to] = [before[figure.name], after[figure.name]];
    const intervalAt = (share: number): Interval =>
      intervalOf(differences[figure.name], share, to - from, wideningOf(a, b, share));
    const verdict = verdictOf(figure, from, to, intervalAt(VERDICT_CONFIDENCE));
    return describe(figure.name, from, to, intervalAt(CONFIDENCE), verdict);
  });
  const figures = [...sampled, ...compareStalls(a, b)];
  return { verdict: verdictOfAll(figures.filter(({ name }) => name !== 'rps' || !ignoresThroughput)), figures };
}

/**
 * Compares the share of time in which the server stalled. A stall is seen or not: it is no sample of many, and its interval is as wide as
 * it is measured accurately.
 */
function compareStalls(a: Measurement, b: Measurement): FigureComparison[] {
  const [before, after] = [stalledShare(a), stalledShare(b)];
  if (!before || !after) return [];
  const difference = after.share - before.share;
  const accuracy = before.accuracy + after.accuracy;
  const verdict = Math.abs(difference) < LEAST_STALLED ? 'same' : difference > 0 ? 'worse' : 'better';
  const interval: Interval = [difference - accuracy, difference + accuracy];
  return [describe('stalled_share', before.share, after.share, interval, verdict)];
}

function stalledShare({ slices, totals }: Measurement): { share: number; accuracy: number } | undefined {
  const seconds = mergeSlices(slices).length / 1_000;
  if (!totals || seconds === 0) return undefined;
  const stalls = stallsOf(totals);
  return { share: secondsOfStalls(stalls) / seconds, accuracy: (stalls.length * STALL_ACCURACY) / seconds };
}

function describe(
  name: FigureComparison['name'],
  a: number,
  b: number,
  interval: Interval,
  verdict: Verdict,
): FigureComparison {
  return {
    ...{ name, a: round(a), b: round(b), difference: round(b - a) },
    relative: a === 0 ? null : round((b - a) / a),
    interval: [round(interval[0]), round(interval[1])],
    verdict,
  };
}

function verdictOf({ better, share, least }: Figure, a: number, b: number, [low, high]: Interval): Verdict {
  const isCertain = low > 0 || high < 0;
  if (!isCertain || Math.abs(b - a) < Math.max(share * Math.abs(a), least)) return 'same';
  return b > a === (better === 'higher') ? 'better' : 'worse';
}

function verdictOfAll(figures: readonly FigureComparison[]): Verdict {
  const verdicts = figures.map(({ verdict }) => verdict);
  if (verdicts.includes('worse')) return 'worse';
  return verdicts.includes('better') ? 'better' : 'same';
}

const round = (value: number): number => Number(value.toPrecision(6));
