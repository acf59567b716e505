import type { LoadModel } from './load-plan.js';

/** When requests are due: at even distances, from the beginning of a run to its end. Times are milliseconds since its beginning. */
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

  /** Requests that are due and were not taken. */
  get backlog(): number {
    return this.model === 'open' ? this.due - this.taken : 0;
  }

  /**
   * The time at which the next request was due; null when none is. In a closed model nothing is made up for: what could not be
   * sent when it was due is left out, so that the rate is an upper bound.
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

/** Requests of a closed model that are sent at once, when a timer was late. */
const MAX_BURST = 100;
