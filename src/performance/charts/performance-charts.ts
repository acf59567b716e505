import type { Verdict } from '../comparison/compare.js';
import type { ComparedRuns } from '../comparison/comparisons.service.js';
import { type Measurement, mergeSlices } from '../load/measurement.js';
import { stallsOf, type Summary, type TimelinePoint, toTimeline } from '../load/runner-results.js';
import { secondsOfStalls, type Stall } from '../load/stalls.js';
import type { PerformanceRun } from '../runs/run.entity.js';
import type { Bound, Chart, Series } from './chart.js';

const SHARES = [
  ['mean', 'mean_ms'],
  ['p50', 'p50_ms'],
  ['p75', 'p75_ms'],
  ['p90', 'p90_ms'],
  ['p95', 'p95_ms'],
  ['p99', 'p99_ms'],
] as const satisfies [string, keyof Summary][];

const TITLES: Record<Verdict, string> = { same: 'The same', better: 'Better', worse: 'Worse' };

/** The maximum number of error kinds that a chart names. */
const MAX_KINDS = 3;

/** Latency percentiles and throughput of a run over time. */
export function chartOfRun(run: PerformanceRun, measurement: Measurement): Chart {
  const points = toTimeline(measurement);
  const stalls = measurement.totals ? stallsOf(measurement.totals) : [];
  const bands = stalls.map(({ at, length }): [number, number] => [at / 1_000, (at + length) / 1_000]);
  return {
    title: run.name,
    notes: [
      ...describePlan(run),
      describeFigures(run),
      ...describeBudget(run),
      ...describeStalls(stalls),
      ...describeErrors(measurement),
    ],
    panels: [
      {
        title: 'Latency',
        unit: 'ms',
        end: endOf(points),
        bounds: boundsOf(run, (name) => name.endsWith('_ms')),
        stalls: bands,
        series: [
          { name: 'p50', colour: 's1', values: over(points, ifAnswered('p50_ms')) },
          { name: 'p95', colour: 's3', values: over(points, ifAnswered('p95_ms')) },
          { name: 'p99', colour: 's4', values: over(points, ifAnswered('p99_ms')) },
          { name: 'max', colour: 's2', isDashed: true, values: over(points, ifAnswered('max_ms')) },
        ],
      },
      {
        title: 'Throughput',
        unit: 'per second',
        end: endOf(points),
        bounds: boundsOf(run, (name) => name === 'min_rps'),
        stalls: bands,
        series: [
          { name: 'responses', colour: 's1', values: over(points, ({ rps }) => rps) },
          { name: 'errors', colour: 's4', values: over(points, ({ errors, seconds }) => errors / seconds) },
        ],
      },
    ],
  };
}

/** Two runs side by side: latency by percentile, and throughput over time. */
export function chartOfComparison({ a, b, measurements, comparison, planDifferences }: ComparedRuns): Chart {
  const intervals = SHARES.map(([, figure]): [number, number] | null => {
    const compared = comparison.figures.find(({ name }) => name === figure);
    return compared ? [compared.a + compared.interval[0], compared.a + compared.interval[1]] : null;
  });
  const bars = (run: PerformanceRun): Series['values'] =>
    SHARES.map(([, figure], index) => [index, run.summary?.[figure] ?? null]);
  const lines = (measurement: Measurement): Series['values'] => over(toTimeline(measurement), ({ rps }) => rps);
  return {
    title: `${TITLES[comparison.verdict]}: ${b.name} compared with ${a.name}`,
    notes: [
      // Names come last, because a right-to-left name would reorder the numbers after it.
      `A: ${describeFigures(a)}: ${a.name}`,
      `B: ${describeFigures(b)}: ${b.name}`,
      ...(planDifferences.length > 0 ? [`Not asked alike: ${planDifferences.join(', ')}`] : []),
    ],
    panels: [
      {
        title: 'Latency',
        unit: 'ms',
        labels: SHARES.map(([label]) => label),
        series: [
          { name: 'A', colour: 's1', values: bars(a) },
          { name: 'B', colour: 's3', values: bars(b), intervals },
        ],
      },
      {
        title: 'Throughput',
        unit: 'per second',
        end: Math.max(endOf(toTimeline(measurements.a)), endOf(toTimeline(measurements.b))),
        series: [
          { name: 'A', colour: 's1', values: lines(measurements.a) },
          { name: 'B', colour: 's3', isDashed: true, values: lines(measurements.b) },
        ],
      },
    ],
  };
}

const over = (
  points: readonly TimelinePoint[],
  value: (point: TimelinePoint) => number | null,
): [number, number | null][] => points.map((point) => [point.at + point.seconds / 2, value(point)]);

/** Returns the end of the last part of a run in seconds. */
function endOf(points: readonly TimelinePoint[]): number {
  const last = points.at(-1);
  return last ? last.at + last.seconds : 1;
}

/** Returns null for parts without responses. */
const ifAnswered =
  (name: 'p50_ms' | 'p95_ms' | 'p99_ms' | 'max_ms') =>
  (point: TimelinePoint): number | null =>
    point.rps > 0 ? point[name] : null;

function describePlan({ plan, generator, testStartTime }: PerformanceRun): string[] {
  const { model, rate, stages = [], connections, seconds, method, endpoint } = plan;
  const rates = [rate, ...stages.map((stage) => stage.rate)].join(' → ');
  const time = testStartTime ? `${testStartTime.toISOString().slice(0, 19)}Z, ` : '';
  return [
    `${time}${model} load of up to ${rates} requests/s on up to ${connections} connections for ${seconds} s by ${generator}`,
    `${method} ${new URL(endpoint).host}`,
  ];
}

/** The bounds of the budget that a panel draws. */
function boundsOf({ budget }: PerformanceRun, isDrawn: (name: string) => boolean): Bound[] {
  return (budget?.checks ?? [])
    .filter(({ name }) => isDrawn(name))
    .map(({ name, limit }) => ({ name: `budget ${name} ${limit}`, value: limit }));
}

function describeBudget({ budget }: PerformanceRun): string[] {
  if (!budget) return [];
  const checks = budget.checks.map(
    ({ name, limit, actual, passed }) => `${name} ${shorten(actual)} of ${limit}${passed ? '' : ' exceeded'}`,
  );
  return [`Budget ${budget.passed ? 'kept' : 'exceeded'}: ${checks.join('; ')}`];
}

function describeStalls(stalls: readonly Stall[]): string[] {
  if (stalls.length === 0) return [];
  return [`No response for ${shorten(secondsOfStalls(stalls))} s in all (grey), while requests waited`];
}

/** Describes the most frequent errors. */
function describeErrors({ slices }: Measurement): string[] {
  const { errors, statuses } = mergeSlices(slices);
  const failed = Object.entries(statuses).filter(([status]) => Number(status) >= 400);
  const kinds = [
    ...Object.entries(errors),
    ...failed.map(([status, times]): [string, number] => [`status ${status}`, times]),
  ];
  const most = kinds.sort(([, a], [, b]) => b - a).slice(0, MAX_KINDS);
  return most.length === 0 ? [] : [`Errors: ${most.map(([kind, times]) => `${times} ${kind}`).join('; ')}`];
}

function describeFigures({ summary }: PerformanceRun): string {
  if (!summary) return 'nothing was measured';
  const { rps, p50_ms, p99_ms, max_ms, error_rate } = summary;
  const latency =
    rps > 0 ? `p50 ${shorten(p50_ms)} ms, p99 ${shorten(p99_ms)} ms, max ${shorten(max_ms)} ms` : 'no responses';
  return `${shorten(rps)} requests/s, ${latency}, ${shorten(error_rate * 100)} % errors`;
}

const shorten = (value: number): string => String(Number(value.toPrecision(3)));
