import { readFileSync } from 'node:fs';

/** Milliseconds per clock tick in /proc (USER_HZ is 100 on all platforms that Node.js supports). */
const TICK_MS = 10;
/** The index, after the name, of the first time field of /proc/…/stat: utime, stime, and both of terminated children. */
const FIRST_TIME = 11;

/** Processor time in milliseconds of a thread (`/proc/7/task/8`); undefined where the system does not report it. */
export const readThreadTime = (path: string): number | undefined => readTimes(path, 2);

/**
 * Processor time in milliseconds of a process (`/proc/7`) and its terminated children; undefined where the system
 * does not report it.
 */
export const readProcessTime = (path: string): number | undefined => readTimes(path, 4);

function readTimes(path: string, count: number): number | undefined {
  try {
    const stat = readFileSync(`${path}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(FIRST_TIME, FIRST_TIME + count).reduce((sum, field) => sum + Number(field), 0) * TICK_MS;
  } catch {
    return undefined;
  }
}

/** On a busy machine, work may take this multiple of its limit in elapsed time, and at least the minimum below. */
const BUSY_FACTOR = 4;
const MIN_BUSY_MS = 10_000;
const MIN_DELAY_MS = 10;

interface Reading {
  elapsed: number;
  used: number | undefined;
}

/** `used`: the processor time reached the limit. `busy`: only the elapsed time did. */
export type ExceededTime = 'used' | 'busy';

/**
 * Limits work by its processor time, so that the same work passes on a busy machine. Where the system does not
 * report processor time, elapsed time counts instead.
 */
export class ProcessorTimer {
  private timer: NodeJS.Timeout | undefined;
  private since: Reading | undefined;
  /** Milliseconds of the intervals that have ended. */
  private elapsed = 0;
  private used = 0;

  constructor(
    private readonly limitMs: number,
    private readonly readTime: () => number | undefined,
    private readonly onExceeded: (why: ExceededTime) => void,
    /** The limit of elapsed time, whatever processor time was used. */
    private readonly maxElapsedMs = Math.max(limitMs * BUSY_FACTOR, MIN_BUSY_MS),
  ) {}

  /** Starts, or resumes after `stop`. */
  start(): void {
    if (this.since) return;
    this.since = this.read();
    this.schedule();
  }

  /** Pauses: time until the next `start` does not count. */
  stop(): void {
    clearTimeout(this.timer);
    this.count();
    this.since = undefined;
  }

  private schedule(): void {
    const left = this.limitMs - Math.min(this.used, this.elapsed);
    const mostLeft = this.maxElapsedMs - this.elapsed;
    if (left > 0 && mostLeft > 0)
      this.timer = setTimeout(() => this.check(), Math.max(MIN_DELAY_MS, Math.min(left, mostLeft)));
    else {
      this.stop();
      this.onExceeded(left > 0 ? 'busy' : 'used');
    }
  }

  private check(): void {
    this.count();
    this.schedule();
  }

  /** Adds the time since the last reading. */
  private count(): void {
    if (!this.since) return;
    const now = this.read();
    const elapsed = now.elapsed - this.since.elapsed;
    this.elapsed += elapsed;
    this.used +=
      now.used === undefined || this.since.used === undefined ? elapsed : Math.max(0, now.used - this.since.used);
    this.since = now;
  }

  private read(): Reading {
    return { elapsed: performance.now(), used: this.readTime() };
  }
}
