import { mean, percentile } from '../load/latency-histogram.js';
import { type Slice, sumOf } from '../load/measurement.js';
import { countFailures } from '../load/runner-results.js';

/** The figures by which two runs are compared, and whether higher or lower is better. */
export const FIGURES = [
  { name: 'mean_ms', better: 'lower' },
  { name: 'p50_ms', better: 'lower' },
  { name: 'p75_ms', better: 'lower' },
  { name: 'p90_ms', better: 'lower' },
  { name: 'p95_ms', better: 'lower' },
  { name: 'p99_ms', better: 'lower' },
  { name: 'rps', better: 'higher' },
  { name: 'error_rate', better: 'lower' },
] as const;
export type Figure = (typeof FIGURES)[number];
export type FigureName = Figure['name'];

export function figuresOf(whole: Slice): Record<FigureName, number> {
  const { latencies, length, errors } = whole;
  const requests = latencies.count + sumOf(errors);
  const at = (share: number): number => percentile(latencies, share) * 1_000;
  return {
    mean_ms: mean(latencies) * 1_000,
    ...{ p50_ms: at(50), p75_ms: at(75), p90_ms: at(90), p95_ms: at(95), p99_ms: at(99) },
    rps: length === 0 ? 0 : (latencies.count / length) * 1_000,
    error_rate: requests === 0 ? 0 : countFailures(whole) / requests,
  };
}
