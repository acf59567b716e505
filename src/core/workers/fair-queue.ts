import { AppError } from '../errors/app-error.js';
import { type Requester } from '../telemetry/requester.js';
import { countOf } from '../errors/wording.js';

export interface FairQueueBounds {
  /** The number of concurrent entries; the same number again is reserved for parties that have none running. */
  size: number;
  /** The maximum number of waiting entries, in total and per caller. */
  waiting: number;
  waitingPerCaller: number;
}

/** The maximum input bytes of a caller's waiting entries. */
const MAX_WAITING_BYTES = 128 * 1024 * 1024;

export interface QueueEntry {
  party: Requester;
  /** The size of its input in memory. */
  bytes: number;
  reject: (error: Error) => void;
}

/** The entries of one caller or organization. */
interface Share {
  running: number;
  /** The sequence number of its last started entry. */
  served: number;
}

/**
 * Selects the next entry fairly: from the organization with the fewest running entries, then from its caller with
 * the fewest, then from the one served longest ago. A party without running entries does not wait for others: beyond
 * `size` there are as many reserved slots, the last of them for another organization.
 */
export class FairQueue<E extends QueueEntry> {
  private readonly waiting: E[] = [];
  private readonly callers = new Map<string, Share>();
  private readonly organizations = new Map<string, Share>();
  private served = 0;

  /** @param noun names an entry in errors, such as "file" */
  constructor(
    private readonly bounds: FairQueueBounds,
    private readonly noun: string,
  ) {}

  get length(): number {
    return this.waiting.length;
  }

  /** Adds an entry; a full queue removes the last entry of the caller with the most. @throws AppError 429 `TOO_BUSY` */
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

  /** Removes and returns the next entry that may start while `active` are running, if any. */
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

  /** Removes an entry that waits no longer. @returns whether it was still waiting */
  remove(entry: E): boolean {
    const at = this.waiting.indexOf(entry);
    if (at >= 0) this.waiting.splice(at, 1);
    return at >= 0;
  }

  /** Releases the slot of a finished entry. */
  complete({ party }: Pick<E, 'party'>): void {
    for (const share of this.getShares(party)) share.running -= 1;
    this.dropUnused(this.callers, party.caller);
    this.dropUnused(this.organizations, party.organization);
  }

  /** Removes and returns all waiting entries. */
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

  /** Removes the share of a party with neither running nor waiting entries. */
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
