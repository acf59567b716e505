import { bucketBounds, type LatencyHistogram, mean, percentile, standardDeviation } from './latency-histogram.js';
import type { LoadGenerator, LoadPlan } from './load-plan.js';
import { countFailed, type Measurement, mergeSlices, type RunTotals, type Slice, sumOf } from './measurement.js';
import { findStalls, secondsOfStalls, type Stall } from './stalls.js';

/**
 * The figures of a run. Latencies are in milliseconds; those of an open run are from when a request was due, so that they include the
 * wait for a free connection. Figures that the generator does not measure are null.
 */
export interface Summary {
  requests: number;
  errors: number;
  /** The share of requests without a response or with a status of 400 and above: 0 to 1. */
  error_rate: number;
  /** Responses with a status of 2xx. */
  successful: number;
  /** Responses per second, without the time in which the last requests of the run had their responses. */
  rps: number;
  /** Requests per second that were due, and that were sent within the duration. */
  due_rps: number | null;
  sent_rps: number | null;
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
  /** From sending a request, without the wait for a free connection. */
  service_p50_ms: number | null;
  service_p99_ms: number | null;
  /** Requests that were due while every connection was busy. */
  waited: number | null;
  /** The seconds in which requests waited and no response arrived. */
  stalled_seconds: number | null;
  /** How late the load generator was with 99 % of the requests. */
  generator_lag_ms: number | null;
}

/** One part of the latency of requests, in milliseconds. */
export interface LatencyPart {
  count: number;
  mean_ms: number;
  p50_ms: number;
  p95_ms: number;
  p99_ms: number;
  max_ms: number;
}

/** The parts of the latency: opening connections, waiting for one, and from sending a request to the first byte and to the end. */
export type LatencyParts = Record<'connect' | 'wait' | 'first_byte' | 'service', LatencyPart>;

/** The number of buckets of the histogram in responses. */
const MAX_SHOWN_BUCKETS = 60;
const PERCENTILES = [50, 75, 90, 95, 99, 99.9];
const NANOSECONDS = 1e9;

const round = (value: number): number => Number(value.toPrecision(6));
const toMs = (seconds: number): number => round(seconds * 1_000);

export function summarize(measurement: Measurement, { seconds: planned }: Pick<LoadPlan, 'seconds'>): Summary {
  const whole = mergeSlices(measurement.slices);
  const { latencies } = whole;
  const { totals } = measurement;
  const at = (share: number): number => toMs(percentile(latencies, share));
  const [failed, seconds] = [countFailures(whole), secondsOf(measurement, planned)];
  const requests = latencies.count + sumOf(whole.errors);
  return {
    requests,
    errors: failed,
    error_rate: requests === 0 ? 0 : round(failed / requests),
    successful: countSuccessful(whole.statuses),
    rps: round(latencies.count / seconds),
    due_rps: totals ? round(totals.due / planned) : null,
    sent_rps: totals ? round(totals.sent / planned) : null,
    bytes_per_second: round(whole.bytes / seconds),
    mean_ms: toMs(mean(latencies)),
    min_ms: toMs(latencies.min),
    ...{ p50_ms: at(50), p75_ms: at(75), p90_ms: at(90), p95_ms: at(95), p99_ms: at(99), p999_ms: at(99.9) },
    max_ms: toMs(latencies.max),
    service_p50_ms: totals ? toMs(percentile(totals.service, 50)) : null,
    service_p99_ms: totals ? toMs(percentile(totals.service, 99)) : null,
    waited: totals ? totals.wait.count : null,
    stalled_seconds: totals ? round(secondsOfStalls(stallsOf(totals))) : null,
    generator_lag_ms: totals ? toMs(percentile(totals.lag, 99)) : null,
  };
}

/** The stalls of a run: much longer times without a response than one takes usually. */
export const stallsOf = ({ stalls, service }: RunTotals): Stall[] =>
  findStalls(stalls, percentile(service, 50) * 1_000);

/** Returns the parts of the latency; null when the generator does not measure them. */
export function toLatencyParts({ totals }: Measurement): LatencyParts | null {
  if (!totals) return null;
  const { connect, wait, firstByte, service } = totals;
  return {
    ...{ connect: toLatencyPart(connect), wait: toLatencyPart(wait) },
    ...{ first_byte: toLatencyPart(firstByte), service: toLatencyPart(service) },
  };
}

function toLatencyPart(latencies: LatencyHistogram): LatencyPart {
  const at = (share: number): number => toMs(percentile(latencies, share));
  return {
    ...{ count: latencies.count, mean_ms: toMs(mean(latencies)) },
    ...{ p50_ms: at(50), p95_ms: at(95), p99_ms: at(99), max_ms: toMs(latencies.max) },
  };
}

/**
 * The seconds in which the responses of a run came: its duration, or longer when the server did not keep up. A server that responds to
 * each request in time needs no more than the duration, however long a response takes.
 */
function secondsOf({ slices, totals }: Measurement, planned: number): number {
  const { length, latencies } = mergeSlices(slices);
  return Math.max(planned, length / 1_000 - percentile(totals?.service ?? latencies, 50), 0.001);
}

/** Responses of HTTP with 2xx, and of gRPC without an error. */
const countSuccessful = (statuses: Record<string, number>): number =>
  sumOf(Object.fromEntries(Object.entries(statuses).filter(([status]) => /^2|^OK$|^SERVING$/.test(status))));

export const countFailures = ({ statuses, errors }: Slice): number => sumOf(errors) + countFailed(statuses);

/** The data of a run besides its figures. */
export interface RunFacts {
  name: string;
  plan: LoadPlan;
  generator: LoadGenerator;
  startedAt: Date;
}

/** The results in the format of Fortio, which existing clients read. Durations are in seconds, except `ActualDuration`. */
export function toRunnerResults(measurement: Measurement, { name, plan, generator, startedAt }: RunFacts): object {
  const whole = mergeSlices(measurement.slices);
  const { latencies, statuses, errors } = whole;
  const failed = sumOf(errors);
  const seconds = secondsOf(measurement, plan.seconds);
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
  /** Responses by status. */
  statuses: Record<string, number>;
  p50_ms: number;
  p95_ms: number;
  p99_ms: number;
  max_ms: number;
}

export function toTimeline({ slices }: Measurement): TimelinePoint[] {
  return slices
    .filter(({ length }) => length > 0)
    .map((slice) => ({
      at: round(slice.start / 1_000),
      seconds: round(slice.length / 1_000),
      rps: round((slice.latencies.count / slice.length) * 1_000),
      errors: countFailures(slice),
      statuses: slice.statuses,
      p50_ms: toMs(percentile(slice.latencies, 50)),
      p95_ms: toMs(percentile(slice.latencies, 95)),
      p99_ms: toMs(percentile(slice.latencies, 99)),
      max_ms: toMs(slice.latencies.max),
    }));
}
