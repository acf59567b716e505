import { Follower } from '../../core/pubsub/follower.js';
import type { SeenEvent } from '../event.entity.js';
import { FRESH_MS, type FeedTail, type FeedSlice } from './feed-tail.js';

/** Selects events of a subscription among those that the user may read. */
export type EventPredicate = (seen: SeenEvent) => boolean;

interface FollowedFeed {
  feed: string;
  tail: FeedTail;
  /** The number of the last event that was returned or skipped. */
  position: bigint;
}

/**
 * An iterator over the events of one or several feeds: missed events after the start positions first, then live events. It buffers no
 * events for a slow consumer: those that the tails no longer hold are read from the table. The transport, such as a socket, limits what
 * is sent.
 */
export class EventFollower extends Follower<SeenEvent> {
  private readonly feeds: FollowedFeed[] = [];
  /** The events read last; the first `taken` were returned or skipped. */
  private slice: (FeedSlice & { of: FollowedFeed; taken: number }) | null = null;

  /** Whether a right may have ended since `authorize` was called. */
  private isUnchecked = false;

  /** Called when events may be available, for consumers that use `poll`. */
  onWake?: () => void;

  /**
   * @param leave called once, at the end of the iteration
   * @param authorize throws when the user may no longer follow what was asked for, which ends the iteration
   */
  constructor(
    readonly userId: string,
    private readonly wanted: EventPredicate,
    leave: () => void,
    private readonly authorize: () => Promise<void> = () => Promise.resolve(),
  ) {
    super(leave);
  }

  override wake(): void {
    super.wake();
    this.onWake?.();
  }

  /** Has the right to follow checked before the next event. */
  recheck(): void {
    this.isUnchecked = true;
    this.wake();
  }

  /** Returns the next event, or null when there is none before the next `onWake`; for followers that send more than events. */
  poll(): Promise<SeenEvent | null> {
    return this.take();
  }

  follow(feed: string, tail: FeedTail, position: bigint): void {
    if (this.hasEnded || this.follows(feed)) return;
    this.feeds.push({ feed, tail, position });
    tail.add(this);
    this.wake();
  }

  follows(feed: string): boolean {
    return this.feeds.some((each) => each.feed === feed);
  }

  get tails(): FeedTail[] {
    return this.feeds.map(({ tail }) => tail);
  }

  protected override async take(): Promise<SeenEvent | null> {
    if (this.isUnchecked) {
      this.isUnchecked = false;
      await this.authorize();
    }
    do {
      const seen = this.takeBuffered();
      if (!seen) continue;
      this.wake();
      return seen;
    } while (!this.hasEnded && (await this.readMore()));
    return null;
  }

  protected override takeReady(most: number): SeenEvent[] {
    const ready: SeenEvent[] = [];
    if (this.isUnchecked) return ready;
    while (ready.length < most) {
      const seen = this.takeBuffered();
      if (seen) ready.push(seen);
      else if (!this.readRecent()) break;
    }
    if (ready.length > 0 && this.feeds.some(({ tail, position }) => tail.hasMoreThan(position))) this.wake();
    return ready;
  }

  /** Returns the next buffered event, unless the check of the right to it is older than `FRESH_MS`. */
  private takeBuffered(): SeenEvent | null {
    if (!this.slice) return null;
    const { slice } = this;
    const isFresh = performance.now() - slice.at < FRESH_MS;
    while (isFresh && slice.taken < slice.events.length) {
      const seen = slice.events[slice.taken++];
      if (seen && this.wanted(seen)) return seen;
    }
    const last = slice.events[slice.taken - 1];
    if (slice.taken === slice.events.length) slice.of.position = slice.through;
    else if (last) slice.of.position = BigInt(last.event.sequence);
    this.slice = null;
    return null;
  }

  /** Takes the next events from the memory of a tail. */
  private readRecent(): boolean {
    return this.feeds.some((of) => this.begin(of, of.tail.findRecent(of.position, this.userId)));
  }

  /** Reads the next events, from the feeds in turn, so that a busy feed does not starve the others. */
  private async readMore(): Promise<boolean> {
    for (const of of [...this.feeds])
      if (this.begin(of, await of.tail.readAfter(of.position, this.userId))) return true;
    return false;
  }

  private begin(of: FollowedFeed, slice: FeedSlice | null): boolean {
    if (!slice) return false;
    const { at, through, events } = slice;
    this.slice = { at, through, events, of, taken: 0 };
    if (this.feeds.length > 1) this.feeds.push(...this.feeds.splice(this.feeds.indexOf(of), 1));
    return true;
  }
}
