import { readFileSync } from 'node:fs';

/** The longest turn of an event loop, in milliseconds. */
export interface LongestTurn {
  /** By the clock: on a busy machine that is also the time of others. */
  wall: number;
  /** Processor time of its thread within one turn: what it would be on a quiet core. NaN where the system does not report it. */
  cpu: number;
}

const EVERY_MS = 2;

/** Follows the event loop of this process, whose first thread must be the one that calls. */
export class LoopWatch {
  private worst: LongestTurn = { wall: 0, cpu: 0 };
  private last = { wall: performance.now(), cpu: processorTime() };

  constructor() {
    setInterval(() => this.look(), EVERY_MS).unref();
  }

  /** The longest turn since this was last asked. */
  longest(): LongestTurn {
    this.look();
    const { worst } = this;
    this.worst = { wall: 0, cpu: 0 };
    return worst;
  }

  private look(): void {
    const now = { wall: performance.now(), cpu: processorTime() };
    this.worst = {
      wall: Math.max(this.worst.wall, now.wall - this.last.wall - EVERY_MS),
      cpu: Math.max(this.worst.cpu, now.cpu - this.last.cpu),
    };
    this.last = now;
  }
}

/** Time that the first thread of this process has run (proc(5), schedstat). */
function processorTime(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return NaN;
  }
}
