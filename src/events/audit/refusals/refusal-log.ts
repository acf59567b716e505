/** What is written of refusals. */
export interface LoggedRefusal {
  /** The refused caller, as recorded in the audit log. */
  context: string;
  acting: string | null;
  action: string;
  reason: string;
  /** Where it stands: the record that was judged, else the ids that the path names. */
  judged?: { type: string; id: string; organizationId: string };
  ids: string[];
  account?: string;
  at: Date;
  count: number;
}

interface Kept extends LoggedRefusal {
  /** How many of `count` have been handed over. */
  written: number;
  since: number;
}

/** For so long refusals that are the same are one. */
const WINDOW_MS = 60_000;
/** Different refusals of one caller in that time; further ones are one. */
const MOST_PER_CALLER = 30;
/** Different refusals of all callers; further ones are one for each organization that is not listed. */
const MOST_IN_ALL = 5_000;

/**
 * Refusals on their way to the audit. The first of its kind is handed over at once; those like it within a minute are counted and
 * written as one. So neither a flood of one caller nor one of many callers costs more than a bounded number of entries.
 */
export class RefusalLog {
  private readonly kept = new Map<string, Kept>();
  private readonly perCaller = new Map<string, number>();

  /** @param caller whom the limit counts: a user, else a network */
  add(caller: string, refusal: Omit<LoggedRefusal, 'count'>, now = Date.now()): void {
    const { action, reason, judged, ids, account = '' } = refusal;
    const key = [caller, action, reason, judged?.id ?? ids.join(' '), account].join('\n');
    const known = this.kept.get(key);
    if (known) return void known.count++;
    const own = this.perCaller.get(caller) ?? 0;
    if (own < MOST_PER_CALLER && this.kept.size < MOST_IN_ALL) {
      this.perCaller.set(caller, own + 1);
      this.keep(key, refusal, now);
    } else if (own < MOST_PER_CALLER)
      this.addTo('overflow', { ...toOverflow(refusal), acting: null, context: '{}' }, now);
    else this.addTo(`overflow ${caller}`, toOverflow(refusal), now);
  }

  /** What has not been handed over: new kinds at once, repetitions when their minute is over. */
  take(most: number, all = false, now = Date.now()): LoggedRefusal[] {
    const taken: LoggedRefusal[] = [];
    for (const [key, refusal] of this.kept) {
      if (taken.length >= most) break;
      const isOver = all || now - refusal.since >= WINDOW_MS;
      const left = refusal.count - refusal.written;
      if (left > 0 && (isOver || refusal.written === 0)) {
        taken.push({ ...refusal, count: left });
        refusal.written = refusal.count;
      } else if (isOver) this.kept.delete(key);
    }
    if (this.kept.size === 0) this.perCaller.clear();
    return taken;
  }

  /** Begins to count the callers anew. */
  startWindow(): void {
    this.perCaller.clear();
  }

  private addTo(key: string, refusal: Omit<LoggedRefusal, 'count'>, now: number): void {
    const known = this.kept.get(key);
    if (known) known.count++;
    else this.keep(key, refusal, now);
  }

  private keep(key: string, refusal: Omit<LoggedRefusal, 'count'>, now: number): void {
    this.kept.set(key, { ...refusal, count: 1, written: 0, since: now });
  }
}

/** Of those beyond the limits it is known how many they were, and of which caller. */
const toOverflow = (refusal: Omit<LoggedRefusal, 'count'>): Omit<LoggedRefusal, 'count'> => ({
  ...refusal,
  action: 'many_operations',
  reason: 'MANY_REFUSALS',
  judged: undefined,
  ids: [],
  account: undefined,
});
