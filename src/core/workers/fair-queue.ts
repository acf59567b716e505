import { AppError } from '../errors/app-error.js';
import { type Requester } from './requester.js';
import { countOf } from '../errors/wording.js';

export interface FairQueueBounds {
  /** What runs at the same time; as much again is for parties that have nothing running. */
  size: number;
  /** What may wait, of all callers and of one. */
  waiting: number;
  waitingPerCaller: number;
}

/** Bytes of input that may wait of one caller. */
const MAX_WAITING_BYTES = 128 * 1024 * 1024;

export interface QueueEntry {
  party: Requester;
  /** Bytes that it holds while it waits. */
  bytes: number;
  reject: (error: Error) => void;
}

/** What one caller, or one organization, has in the queue. */
interface Share {
  running: number;
  /** When one of its entries began last, as a count. */
  served: number;
}

/**
 * Decides what is next: of the organization that has least running, then of its caller who has least running, the one that was served
 * longest ago. A party with nothing running never waits for those that have: beyond `size` there is as much again, the last of it for
 * another organization.
 */
export class FairQueue<E extends QueueEntry> {
  private readonly waiting: E[] = [];
  private readonly callers = new Map<string, Share>();
  private readonly organizations = new Map<string, Share>();
  private served = 0;

  /** `noun` is what the refusals call an entry: "file". */
  constructor(
    private readonly bounds: FairQueueBounds,
    private readonly noun: string,
  ) {}

  get length(): number {
    return this.waiting.length;
  }

  /** A full queue makes room at the expense of the caller who has most in it. @throws AppError 429 `TOO_BUSY` */
  push(entry: E): void {
    const own = this.waiting.filter(({ party }) => party.caller === entry.party.caller);
    const bytes = own.reduce((sum, each) => sum + each.bytes, entry.bytes);
    if (own.length >= this.bounds.waitingPerCaller || (own.length > 0 && bytes > MAX_WAITING_BYTES))
      throw tooBusy(`${countOf(own.length, this.noun)} of yours ${own.length === 1 ? 'is' : 'are'} waiting already`);
    if (this.waiting.length >= this.bounds.waiting) {
      const last = this.lastOfBusiestCaller();
      if (!last || this.countWaiting(last.party) <= own.length + 1) throw tooBusy(`Too many ${this.noun}s are waiting`);
      this.waiting.splice(this.waiting.indexOf(last), 1);
      last.reject(tooBusy(`Too many ${this.noun}s are waiting, and most of them are yours`));
    }
    this.waiting.push(entry);
  }

  /** Takes what may begin while `active` are at work, if anything may. */
  takeNext(active: number): E | undefined {
    let best: E | undefined;
    for (const entry of this.waiting)
      if (this.mayBegin(entry.party, active) && (!best || this.isBefore(entry.party, best.party))) best = entry;
    if (!best) return undefined;
    this.waiting.splice(this.waiting.indexOf(best), 1);
    this.served += 1;
    for (const share of this.getShares(best.party))
      Object.assign(share, { running: share.running + 1, served: this.served });
    return best;
  }

  /** Releases the slot of a finished item. */
  complete({ party }: Pick<E, 'party'>): void {
    for (const share of this.getShares(party)) share.running -= 1;
    this.dropUnused(this.callers, party.caller);
    this.dropUnused(this.organizations, party.organization);
  }

  /** Takes everything that waits. */
  drain(): E[] {
    return this.waiting.splice(0);
  }

  private mayBegin({ caller, organization }: Requester, active: number): boolean {
    const { size } = this.bounds;
    if (active < size) return true;
    if (active < 2 * size - 1) return !this.callers.get(caller)?.running;
    return active < 2 * size && !this.organizations.get(organization)?.running;
  }

  private isBefore(a: Requester, b: Requester): boolean {
    const [organization, caller] = this.getShares(a);
    const [otherOrganization, other] = this.getShares(b);
    return (
      (organization.running - otherOrganization.running ||
        organization.served - otherOrganization.served ||
        caller.running - other.running ||
        caller.served - other.served) < 0
    );
  }

  private getShares({ organization, caller }: Requester): [organization: Share, caller: Share] {
    return [getShare(this.organizations, organization), getShare(this.callers, caller)];
  }

  private lastOfBusiestCaller(): E | undefined {
    let longest: E | undefined;
    for (const entry of this.waiting)
      if (!longest || this.countWaiting(entry.party) >= this.countWaiting(longest.party)) longest = entry;
    return longest;
  }

  private countWaiting({ caller }: Requester): number {
    return this.waiting.filter(({ party }) => party.caller === caller).length;
  }

  /** Shares of parties that neither run nor wait are of no use. */
  private dropUnused(shares: Map<string, Share>, name: string): void {
    const used = this.waiting.some(({ party }) => party.caller === name || party.organization === name);
    if (!used && !shares.get(name)?.running) shares.delete(name);
  }
}

function getShare(shares: Map<string, Share>, name: string): Share {
  const share = shares.get(name) ?? { running: 0, served: 0 };
  shares.set(name, share);
  return share;
}

export function tooBusy(detail: string): AppError {
  return new AppError(429, 'TOO_BUSY', 'Too busy', `${detail}.`, {
    remedy: 'Try again in a few seconds, and send fewer at the same time.',
    headers: { 'Retry-After': '5' },
  });
}
