import { mean, percentile } from '../load/latency-histogram.js';
import { type Slice, sumOf } from '../load/measurement.js';
import { countFailures } from '../load/runner-results.js';

/**
 * The figures by which two runs are compared, whether higher or lower is better, and the smallest difference that counts: as a share of
 * the first run's figure, which is larger for the tail, as that varies more, and in the unit of the figure.
 */
export const FIGURES = [
  { name: 'mean_ms', better: 'lower', share: 0.05, least: 0.1 },
  { name: 'p50_ms', better: 'lower', share: 0.05, least: 0.1 },
  { name: 'p75_ms', better: 'lower', share: 0.05, least: 0.1 },
  { name: 'p90_ms', better: 'lower', share: 0.1, least: 0.1 },
  { name: 'p95_ms', better: 'lower', share: 0.1, least: 0.1 },
  { name: 'p99_ms', better: 'lower', share: 0.2, least: 0.1 },
  { name: 'rps', better: 'higher', share: 0.05, least: 0 },
  { name: 'error_rate', better: 'lower', share: 0, least: 0.001 },
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
