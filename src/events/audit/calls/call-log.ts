/** An operation that was refused, or carried out without a change, with the number of repetitions. */
export interface LoggedCall {
  /** The caller, as recorded in the audit log. */
  context: string;
  acting: string | null;
  action: string;
  /** The code of the refusal; null for a call that was carried out. */
  reason: string | null;
  /** The record whose access was refused; `ids` are those of the path. */
  judged?: { type: string; id: string; organizationId: string };
  ids: string[];
  account?: string;
  at: Date;
  count: number;
}

interface Kept extends LoggedCall {
  /** How many of `count` were returned by `take`. */
  written: number;
  since: number;
}

/** Identical calls within this period are combined. */
const WINDOW_MS = 60_000;
/** The maximum number of different refused calls of a caller in this period; further ones are combined. */
const MOST_PER_CALLER = 30;
/** The same for calls that were carried out, of which each is to be found. */
const MOST_PERFORMED = 1_000;
/** The maximum number of different calls of all callers; further ones are combined. */
const MOST_IN_ALL = 5_000;

/**
 * Buffers calls for the audit. The first of its kind is returned at once; identical ones within a minute are counted and combined, so
 * that a flood of requests, from one caller or from many, causes a limited number of entries.
 */
export class CallLog {
  private readonly kept = new Map<string, Kept>();
  private readonly perCaller = new Map<string, number>();

  /** @param caller the subject of the limit: a user's id, otherwise a network */
  add(caller: string, call: Omit<LoggedCall, 'count'>, now = Date.now()): void {
    const { action, reason, judged, ids, account = '' } = call;
    const isRefused = reason !== null;
    const limited = isRefused ? caller : `performed ${caller}`;
    const most = isRefused ? MOST_PER_CALLER : MOST_PERFORMED;
    const key = [caller, action, reason, judged?.id ?? ids.join(' '), account].join('\n');
    const known = this.kept.get(key);
    if (known) return void known.count++;
    const own = this.perCaller.get(limited) ?? 0;
    if (own < most && this.kept.size < MOST_IN_ALL) {
      this.perCaller.set(limited, own + 1);
      this.keep(key, call, now);
    } else if (own < most)
      this.addTo(`overflow ${isRefused}`, { ...toOverflow(call), acting: null, context: '{}' }, now);
    else this.addTo(`overflow ${limited}`, toOverflow(call), now);
  }

  /** Returns up to `most` calls to write: new kinds at once, repetitions at the end of their period or when `all` is true. */
  take(most: number, all = false, now = Date.now()): LoggedCall[] {
    const taken: LoggedCall[] = [];
    for (const [key, call] of this.kept) {
      if (taken.length >= most) break;
      const isOver = all || now - call.since >= WINDOW_MS;
      const left = call.count - call.written;
      if (left > 0 && (isOver || call.written === 0)) {
        taken.push({ ...call, count: left });
        call.written = call.count;
      } else if (isOver) this.kept.delete(key);
    }
    if (this.kept.size === 0) this.perCaller.clear();
    return taken;
  }

  /** Resets the limits of callers. */
  startWindow(): void {
    this.perCaller.clear();
  }

  private addTo(key: string, call: Omit<LoggedCall, 'count'>, now: number): void {
    const known = this.kept.get(key);
    if (known) known.count++;
    else this.keep(key, call, now);
  }

  private keep(key: string, call: Omit<LoggedCall, 'count'>, now: number): void {
    this.kept.set(key, { ...call, count: 1, written: 0, since: now });
  }
}

/** Calls beyond the limits keep only the caller and the count. */
const toOverflow = (call: Omit<LoggedCall, 'count'>): Omit<LoggedCall, 'count'> => ({
  ...call,
  action: 'many_operations',
  reason: call.reason === null ? null : 'MANY_REFUSALS',
  judged: undefined,
  ids: [],
  account: undefined,
});
