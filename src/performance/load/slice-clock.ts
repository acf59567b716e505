import { LatencyRecorder } from './latency-histogram.js';
import { countKind, type Slice } from './measurement.js';

/** How many milliseconds a value may arrive after the end of its second; later ones count in the next second. */
const LATE_MS = 700;
/** The latest time after the end of a run in milliseconds; later timestamps are capped, which limits the number of parts. */
const MAX_LATE_MS = 60_000;

/** Assigns the timestamped values of a generator to the seconds of a run, and reports each finished second. */
export class SliceClock {
  private readonly seconds = new Map<number, Second>();
  private next = 0;
  private last: number;
  private readonly latest: number;

  constructor(
    /** Milliseconds since 1970. */
    private readonly began: number,
    duration: number,
    private readonly report: (slice: Slice) => void,
  ) {
    this.last = duration;
    this.latest = duration + MAX_LATE_MS;
  }

  /** The second of a time. */
  at(time: number): Second {
    const elapsed = Math.min(this.latest, Math.max(0, time - this.began));
    this.last = Math.max(this.last, elapsed);
    const index = Math.max(this.next, Math.floor(elapsed / 1_000));
    const second = this.seconds.get(index) ?? new Second();
    this.seconds.set(index, second);
    return second;
  }

  /** Reports finished seconds; after the end of the load, those that end before the last response. */
  advance(now: number): void {
    this.closeUntil(Math.min(now - this.began - LATE_MS, this.last));
  }

  /** Reports the remaining seconds; the last part ends with the last response. */
  finish(): void {
    this.closeUntil(this.last);
    const left = this.last - this.next * 1_000;
    if (left > 0 || this.seconds.size > 0) this.close(Math.max(0, left));
  }

  private closeUntil(time: number): void {
    while ((this.next + 1) * 1_000 <= time) this.close(1_000);
  }

  private close(length: number): void {
    const { recorder, bytes, statuses, errors } = this.seconds.get(this.next) ?? new Second();
    this.seconds.delete(this.next);
    const latencies = recorder.toHistogram();
    this.report({ start: this.next * 1_000, length, bytes, statuses, errors, latencies });
    this.next += 1;
  }
}

/** The measurement of one second. */
export class Second {
  readonly recorder = new LatencyRecorder();
  readonly statuses: Record<string, number> = {};
  readonly errors: Record<string, number> = {};
  bytes = 0;

  /** @param latency seconds */
  answer(status: string, latency: number): void {
    this.recorder.record(latency);
    countKind(this.statuses, status);
  }

  fail(kind: string, times = 1): void {
    countKind(this.errors, kind, times);
  }
}
