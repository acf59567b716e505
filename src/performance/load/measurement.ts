import type { Stall } from './stalls.js';
import { emptyHistogram, type LatencyHistogram, mergeHistograms } from './latency-histogram.js';

/** The measurement of a part of a run. */
export interface Slice {
  /** Milliseconds since the start of the run. */
  start: number;
  /** Milliseconds. */
  length: number;
  bytes: number;
  /** Responses by status. */
  statuses: Record<string, number>;
  /** Requests without a response, by failure kind. */
  errors: Record<string, number>;
  latencies: LatencyHistogram;
}

/** What a generator measures of a run as a whole. */
export interface RunTotals {
  /** From sending a request to its response: the latency without the wait for a free connection. */
  service: LatencyHistogram;
  /** From sending a request to the first byte of its response. */
  firstByte: LatencyHistogram;
  /** Of opening a connection, with TLS. */
  connect: LatencyHistogram;
  /** The wait of requests that were due while every connection was busy. */
  wait: LatencyHistogram;
  /** How late the generator itself was with requests for which a connection was free. */
  lag: LatencyHistogram;
  /** Requests that were due, and those of them that were sent within the duration. */
  due: number;
  sent: number;
  /** The most connections that were open at a time. */
  connections: number;
  stalls: Stall[];
}

/** The measurement of a run, in parts of equal length. */
export interface Measurement {
  slices: Slice[];
  /** Of generators that measure it. */
  totals?: RunTotals;
}

/** The maximum number of parts: a short run has one per second, a long run has longer ones. */
const MAX_SLICES = 120;
/** The maximum number of failure kinds or statuses that are counted separately. */
const MAX_KINDS = 20;
export const OTHER_KINDS = 'other';

/** Collects the seconds of a run, and merges them into fewer parts in a long run. */
export class MeasurementCollector {
  private slices: Slice[] = [];
  private group = 1;
  private pending: Slice[] = [];
  private totals: RunTotals | undefined;

  finish(totals: RunTotals): void {
    this.totals = totals;
  }

  add(second: Slice): void {
    this.pending.push(second);
    if (this.pending.length === this.group) this.flush();
    if (this.slices.length <= MAX_SLICES) return;
    this.slices = pairs(this.slices).map(mergeSlices);
    this.group *= 2;
  }

  /** Merges the rest at the end into the last part if it is much shorter than the others. */
  toMeasurement(): Measurement {
    const slices = this.pending.length === 0 ? this.slices : [...this.slices, mergeSlices(this.pending)];
    const [before, last] = slices.slice(-2);
    const isSliver = before !== undefined && last !== undefined && last.length < before.length / 2;
    return {
      slices: isSliver ? [...slices.slice(0, -2), mergeSlices([before, last])] : slices,
      ...(this.totals ? { totals: this.totals } : {}),
    };
  }

  private flush(): void {
    this.slices.push(mergeSlices(this.pending));
    this.pending = [];
  }
}

export function mergeSlices(slices: readonly Slice[]): Slice {
  const [first] = slices;
  if (!first) return { start: 0, length: 0, bytes: 0, statuses: {}, errors: {}, latencies: emptyHistogram() };
  return {
    start: first.start,
    length: slices.reduce((sum, { length }) => sum + length, 0),
    bytes: slices.reduce((sum, { bytes }) => sum + bytes, 0),
    statuses: sumCounts(slices.map(({ statuses }) => statuses)),
    errors: sumCounts(slices.map(({ errors }) => errors)),
    latencies: mergeHistograms(slices.map(({ latencies }) => latencies)),
  };
}

/** Increments the count of a kind; beyond the maximum, all further kinds share one count. */
export function countKind(counts: Record<string, number>, kind: string, times = 1): void {
  const name = Object.hasOwn(counts, kind) || Object.keys(counts).length < MAX_KINDS ? kind : OTHER_KINDS;
  counts[name] = (counts[name] ?? 0) + times;
}

export const sumOf = (counts: Record<string, number>): number => Object.values(counts).reduce((sum, n) => sum + n, 0);

/** Responses with an error status. */
export const countFailed = (statuses: Record<string, number>): number =>
  sumOf(Object.fromEntries(Object.entries(statuses).filter(([status]) => Number(status) >= 400)));

function sumCounts(all: readonly Record<string, number>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const counts of all) for (const [kind, times] of Object.entries(counts)) countKind(sums, kind, times);
  return sums;
}

function pairs(slices: readonly Slice[]): Slice[][] {
  return Array.from({ length: Math.ceil(slices.length / 2) }, (_, index) => slices.slice(2 * index, 2 * index + 2));
}
