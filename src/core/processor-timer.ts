import { readFileSync } from 'node:fs';

/** Milliseconds of one tick of the times in /proc (USER_HZ is 100 on all platforms that Node.js runs on). */
const TICK_MS = 10;
/** The first field of /proc/…/stat behind the name that is a time: user, system, and both of children that have ended. */
const FIRST_TIME = 11;

/** Processor time in milliseconds of a thread (`/proc/7/task/8`); undefined where the system does not report it. */
export const readThreadTime = (path: string): number | undefined => readTimes(path, 2);

/** Of a process (`/proc/7`), with that of its children which have ended. */
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

/** How many times as long as its limit something may take on a machine that is busy with other work, and how long at least. */
const BUSY_FACTOR = 4;
const MIN_BUSY_MS = 10_000;
const MIN_DELAY_MS = 10;

interface Reading {
  elapsed: number;
  used: number | undefined;
}

/** `busy` when the time passed without processor time. */
export type ExceededTime = 'used' | 'busy';

/**
 * Limits the time of work by the processor time that it has used, so that the same work passes on a busy machine too. Where that is
 * not reported, all the time that has passed counts.
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
    /** However little processor time it has used. */
    private readonly maxElapsedMs = Math.max(limitMs * BUSY_FACTOR, MIN_BUSY_MS),
  ) {}

  /** Begins, or goes on after a pause. */
  start(): void {
    if (this.since) return;
    this.since = this.read();
    this.schedule();
  }

  /** What passes until the next start does not count. */
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

  /** Adds what has passed since the last reading. */
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
