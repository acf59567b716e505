import { bucketBounds, type LatencyHistogram, mean, percentile, standardDeviation } from './latency-histogram.js';
import type { LoadGenerator, LoadPlan } from './load-plan.js';
import { countFailed, type Measurement, mergeSlices, type Slice, sumOf } from './measurement.js';

/** The figures of a run. Latencies are in milliseconds. */
export interface Summary {
  requests: number;
  errors: number;
  /** The share of requests without a response or with a status of 400 and above: 0 to 1. */
  error_rate: number;
  /** Responses per second. */
  rps: number;
  bytes_per_second: number;
  mean_ms: number;
  min_ms: number;
  p50_ms: number;
  p75_ms: number;
  p90_ms: number;
  p95_ms: number;
  p99_ms: number;
  p999_ms: number;
  max_ms: number;
}

/** The number of buckets of the histogram in responses. */
const MAX_SHOWN_BUCKETS = 60;
const PERCENTILES = [50, 75, 90, 95, 99, 99.9];
const NANOSECONDS = 1e9;

const round = (value: number): number => Number(value.toPrecision(6));
const toMs = (seconds: number): number => round(seconds * 1_000);

export function summarize({ slices }: Measurement): Summary {
  const whole = mergeSlices(slices);
  const { latencies } = whole;
  const at = (share: number): number => toMs(percentile(latencies, share));
  const [failed, seconds] = [countFailures(whole), Math.max(whole.length, 1) / 1_000];
  const requests = latencies.count + sumOf(whole.errors);
  return {
    requests,
    errors: failed,
    error_rate: requests === 0 ? 0 : round(failed / requests),
    rps: round(latencies.count / seconds),
    bytes_per_second: round(whole.bytes / seconds),
    mean_ms: toMs(mean(latencies)),
    min_ms: toMs(latencies.min),
    ...{ p50_ms: at(50), p75_ms: at(75), p90_ms: at(90), p95_ms: at(95), p99_ms: at(99), p999_ms: at(99.9) },
    max_ms: toMs(latencies.max),
  };
}

export const countFailures = ({ statuses, errors }: Slice): number => sumOf(errors) + countFailed(statuses);

/** The data of a run besides its figures. */
export interface RunFacts {
  name: string;
  plan: LoadPlan;
  generator: LoadGenerator;
  startedAt: Date;
}

/** The results in the format of Fortio, which existing clients read. Durations are in seconds, except `ActualDuration`. */
export function toRunnerResults({ slices }: Measurement, { name, plan, generator, startedAt }: RunFacts): object {
  const whole = mergeSlices(slices);
  const { latencies, statuses, errors } = whole;
  const failed = sumOf(errors);
  const seconds = Math.max(whole.length, 1) / 1_000;
  return {
    RunType: plan.protocol === 'grpc' ? 'GRPC' : 'HTTP',
    Labels: name,
    StartTime: startedAt.toISOString(),
    RequestedQPS: String(plan.rate),
    RequestedDuration: `${plan.seconds}s`,
    ActualQPS: round(latencies.count / seconds),
    ActualDuration: Math.round(seconds * NANOSECONDS),
    NumThreads: plan.connections,
    URL: plan.endpoint,
    'load-generator': generator,
    // Fortio counts requests without a response as the status -1.
    RetCodes: { ...statuses, ...(failed > 0 ? { '-1': failed } : {}) },
    DurationHistogram: {
      Count: latencies.count,
      Min: round(latencies.min),
      Max: round(latencies.max),
      Sum: round(latencies.sum),
      Avg: round(mean(latencies)),
      StdDev: round(standardDeviation(latencies)),
      Data: toShownBuckets(latencies),
      Percentiles: PERCENTILES.map((share) => ({ Percentile: share, Value: round(percentile(latencies, share)) })),
    },
    Sizes: { Sum: whole.bytes, Avg: latencies.count === 0 ? 0 : round(whole.bytes / latencies.count) },
  };
}

/** Merges neighbouring buckets, each with the cumulative share of requests. */
function toShownBuckets({ buckets, count, min, max }: LatencyHistogram): object[] {
  const size = Math.ceil(buckets.length / MAX_SHOWN_BUCKETS);
  const shown: object[] = [];
  let passed = 0;
  for (let index = 0; index < buckets.length; index += size) {
    const group = buckets.slice(index, index + size);
    const times = group.reduce((sum, [, n]) => sum + n, 0);
    passed += times;
    shown.push({
      Start: round(Math.max(min, bucketBounds(group[0]?.[0] ?? 0).start)),
      End: round(Math.min(max, bucketBounds(group.at(-1)?.[0] ?? 0).end)),
      Percent: round((passed / count) * 100),
      Count: times,
    });
  }
  return shown;
}

/** A point of the timeline of a run. */
export interface TimelinePoint {
  /** Seconds since the start of the run. */
  at: number;
  seconds: number;
  rps: number;
  errors: number;
  p50_ms: number;
  p95_ms: number;
  p99_ms: number;
}

export function toTimeline({ slices }: Measurement): TimelinePoint[] {
  return slices
    .filter(({ length }) => length > 0)
    .map((slice) => ({
      at: round(slice.start / 1_000),
      seconds: round(slice.length / 1_000),
      rps: round((slice.latencies.count / slice.length) * 1_000),
      errors: countFailures(slice),
      p50_ms: toMs(percentile(slice.latencies, 50)),
      p95_ms: toMs(percentile(slice.latencies, 95)),
      p99_ms: toMs(percentile(slice.latencies, 99)),
    }));
}
