import { AppError } from '../core/errors/app-error.js';

/** The maximum number of queries of one caller that run at once, and that wait for them. */
const MAX_RUNNING = 2;
const MAX_WAITING = 20;

/** The queries of one caller. */
interface Turns {
  running: number;
  waiting: (() => void)[];
}

/** Runs few queries of each caller at once; further ones wait in their order. Monitoring servers are shared, and one query may occupy much of them. */
export class CallerTurns {
  private readonly callers = new Map<string, Turns>();

  /** @throws AppError 429 TOO_BUSY when too many wait already */
  async run<T>(caller: string, query: () => Promise<T>): Promise<T> {
    const turns = this.callers.get(caller) ?? { running: 0, waiting: [] };
    this.callers.set(caller, turns);
    if (turns.running < MAX_RUNNING) turns.running++;
    else if (turns.waiting.length < MAX_WAITING) await new Promise<void>((start) => turns.waiting.push(start));
    else throw tooManyQueries();
    try {
      return await query();
    } finally {
      const next = turns.waiting.shift();
      if (next) next();
      else if (--turns.running === 0) this.callers.delete(caller);
    }
  }
}

const tooManyQueries = (): AppError =>
  new AppError(429, 'TOO_BUSY', 'Too busy', `${MAX_RUNNING + MAX_WAITING} queries of this caller run or wait already`, {
    headers: { 'Retry-After': '5' },
    remedy: `Send at most ${MAX_RUNNING} queries at once.`,
  });
