import type { LoadPlan } from './load-plan.js';

/** A stretch of a run in which the rate is constant or changes evenly. Times in milliseconds, rates in requests per millisecond. */
interface Stretch {
  start: number;
  length: number;
  from: number;
  to: number;
  /** The requests that are due before it. */
  before: number;
}

/** Schedules the requests of a run from its start to its end. Times are milliseconds since the start. */
export class ArrivalSchedule {
  /** The requests of the whole run. */
  readonly total: number;
  private readonly stretches: Stretch[];
  private readonly duration: number;
  private readonly isOpen: boolean;
  private taken = 0;

  constructor(plan: Pick<LoadPlan, 'rate' | 'seconds' | 'model' | 'stages'>) {
    this.isOpen = plan.model === 'open';
    this.duration = plan.seconds * 1_000;
    this.stretches = toStretches(plan);
    this.total = Math.max(1, Math.round(this.countUntil(this.duration)));
  }

  /** The number of requests that are due and were not taken; a closed model has none, because it skips them. */
  backlog(now: number): number {
    return this.isOpen ? this.dueAt(now) - this.taken : 0;
  }

  /**
   * Returns the time at which the next request was due, or null when none is due. A closed model skips requests that could not be sent
   * when they were due, so that the rate is an upper bound.
   */
  take(now: number): number | null {
    if (!this.isOpen && now >= this.duration) return null;
    if (this.taken >= this.dueAt(now)) return null;
    if (!this.isOpen) this.taken = Math.max(this.taken, Math.floor(this.countUntil(now - LATE_TIMER_MS)));
    const due = this.timeOf(this.taken);
    this.taken += 1;
    return this.isOpen ? due : now;
  }

  private dueAt(now: number): number {
    return now < 0 ? 0 : Math.min(this.total, Math.floor(this.countUntil(now)) + 1);
  }

  private countUntil(time: number): number {
    const stretch = this.stretches.findLast(({ start }) => start <= time);
    if (!stretch) return 0;
    const { start, length, from, to, before } = stretch;
    const elapsed = Math.min(length, time - start);
    return before + elapsed * (from + ((to - from) * elapsed) / (2 * length));
  }

  private timeOf(index: number): number {
    const stretch = this.stretches.findLast(({ before }) => before <= index);
    if (!stretch) return 0;
    const { start, length, from, to, before } = stretch;
    const count = index - before;
    // The root of count = from·t + (to − from)·t² ∕ 2·length, in the form that also holds for an even rate.
    const root = Math.sqrt(Math.max(0, from * from + (2 * count * (to - from)) / length));
    return start + Math.min(length, count === 0 ? 0 : (2 * count) / (from + root));
  }
}

/** How late a timer may be without a closed model skipping what was due meanwhile. */
const LATE_TIMER_MS = 20;

function toStretches({ rate, seconds, stages = [] }: Pick<LoadPlan, 'rate' | 'seconds' | 'stages'>): Stretch[] {
  if (stages.length === 0)
    return [{ start: 0, length: seconds * 1_000, from: rate / 1_000, to: rate / 1_000, before: 0 }];
  const stretches: Stretch[] = [];
  let [start, from, before] = [0, rate / 1_000, 0];
  for (const stage of stages) {
    const [length, to] = [stage.seconds * 1_000, stage.rate / 1_000];
    if (length > 0) stretches.push({ start, length, from, to, before });
    start += length;
    before += ((from + to) / 2) * length;
    from = to;
  }
  return stretches;
}
