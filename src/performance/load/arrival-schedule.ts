import type { LoadModel } from './load-plan.js';

/** Schedules requests at a constant rate, from the start of a run to its end. Times are milliseconds since the start. */
export class ArrivalSchedule {
  private readonly total: number;
  private readonly interval: number;
  private due = 0;
  private taken = 0;

  constructor(
    rate: number,
    private readonly duration: number,
    private readonly model: LoadModel,
  ) {
    this.interval = 1_000 / rate;
    this.total = Math.max(1, Math.round(duration / this.interval));
  }

  /** The number of due requests that were not taken. */
  get backlog(): number {
    return this.model === 'open' ? this.due - this.taken : 0;
  }

  /**
   * Returns the time at which the next request was due, or null when none is due. A closed model skips requests that could not be sent
   * when they were due, so that the rate is an upper bound.
   */
  take(now: number): number | null {
    if (this.model === 'closed' && now >= this.duration) return null;
    this.due = Math.min(this.total, Math.floor(now / this.interval) + 1);
    if (this.taken >= this.due) return null;
    if (this.model === 'closed') this.taken = Math.max(this.taken, this.due - MAX_BURST);
    const due = this.taken * this.interval;
    this.taken += 1;
    return this.model === 'open' ? due : now;
  }
}

/** The maximum number of requests that a closed model sends at once after a late timer. */
const MAX_BURST = 100;
