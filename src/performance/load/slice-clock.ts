import { LatencyRecorder } from './latency-histogram.js';
import { countKind, type Slice } from './measurement.js';

/** What comes later than so many milliseconds after the end of its second is counted in the next. */
const LATE_MS = 700;
/** What a generator dates later than so many milliseconds after the end of a run is counted then: it makes no parts without end. */
const MAX_LATE_MS = 60_000;

/** Sorts the timed values of a generator into the seconds of a run, and reports each second once it is over. */
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

  /** Reports the seconds that are over by now; after the load has ended, those that end before the last answer. */
  advance(now: number): void {
    this.closeUntil(Math.min(now - this.began - LATE_MS, this.last));
  }

  /** Reports the rest; the last part ends with the last answer. */
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

/** What was measured in one second. */
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
