import type { Verdict } from '../comparison/compare.js';
import type { ComparedRuns } from '../comparison/comparisons.service.js';
import { type Measurement, mergeSlices } from '../load/measurement.js';
import { type Summary, type TimelinePoint, toTimeline } from '../load/runner-results.js';
import type { PerformanceRun } from '../runs/run.entity.js';
import type { Chart, Series } from './chart.js';

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
  return {
    title: run.name,
    notes: [describePlan(run), describeFigures(run), ...describeErrors(measurement)],
    panels: [
      {
        title: 'Latency',
        unit: 'ms',
        end: endOf(points),
        series: [
          { name: 'p50', colour: 's1', values: over(points, ifAnswered('p50_ms')) },
          { name: 'p95', colour: 's3', values: over(points, ifAnswered('p95_ms')) },
          { name: 'p99', colour: 's4', values: over(points, ifAnswered('p99_ms')) },
        ],
      },
      {
        title: 'Throughput',
        unit: 'per second',
        end: endOf(points),
        series: [
          { name: 'answers', colour: 's1', values: over(points, ({ rps }) => rps) },
          { name: 'errors', colour: 's4', values: over(points, ({ errors, seconds }) => errors / seconds) },
        ],
      },
    ],
  };
}

/** Two runs side by side: latency by percentile, and throughput over time. */
export function chartOfComparison({ a, b, measurements, comparison, planDifferences }: ComparedRuns): Chart {
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
          { name: 'B', colour: 's3', values: bars(b) },
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
  (name: 'p50_ms' | 'p95_ms' | 'p99_ms') =>
  (point: TimelinePoint): number | null =>
    point.rps > 0 ? point[name] : null;

function describePlan({ plan, generator, testStartTime }: PerformanceRun): string {
  const load = `${plan.model} load of up to ${plan.rate} requests/s on ${plan.connections} connections for ${plan.seconds} s`;
  return `${new URL(plan.endpoint).host}, ${load} by ${generator}, ${testStartTime?.toISOString().slice(0, 19)}Z`;
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
  const { rps, p50_ms, p99_ms, error_rate } = summary;
  const number = (value: number): string => String(Number(value.toPrecision(3)));
  const latency = rps > 0 ? `p50 ${number(p50_ms)} ms, p99 ${number(p99_ms)} ms` : 'no answers';
  return `${number(rps)} requests/s, ${latency}, ${number(error_rate * 100)} % errors`;
}
