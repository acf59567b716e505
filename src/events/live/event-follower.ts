import { Follower } from '../../core/pubsub/follower.js';
import type { SeenEvent } from '../event.entity.js';
import { FRESH_MS, type FeedTail, type FeedSlice } from './feed-tail.js';

/** Which of the events that someone may read they want. */
export type EventPredicate = (seen: SeenEvent) => boolean;

interface FollowedFeed {
  feed: string;
  tail: FeedTail;
  /** The number of the last event that was given or passed over. */
  position: bigint;
}

/**
 * The events of one or several feeds, one after another as their reader takes them: first what came after the given
 * positions, then what comes. Nothing waits here for a slow reader, who is given from the table what the tails have left
 * behind; a reader of the reader, such as a socket, bounds what is sent.
 */
export class EventFollower extends Follower<SeenEvent> {
  private readonly feeds: FollowedFeed[] = [];
  /** What was read last, of which the first `taken` were given or passed over. */
  private slice: (FeedSlice & { of: FollowedFeed; taken: number }) | null = null;

  /** Called whenever there may be something to take, for who takes events by `poll`. */
  onWake?: () => void;

  /** @param leave called once, when nothing more is wanted */
  constructor(
    readonly userId: string,
    private readonly wanted: EventPredicate,
    leave: () => void,
  ) {
    super(leave);
  }

  override wake(): void {
    super.wake();
    this.onWake?.();
  }

  /** The next event, for a follower that sends more than events; null when there is none until `onWake` is called. */
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
    while (ready.length < most) {
      const seen = this.takeBuffered();
      if (seen) ready.push(seen);
      else if (!this.readRecent()) break;
    }
    if (ready.length > 0 && this.feeds.some(({ tail, position }) => tail.hasMoreThan(position))) this.wake();
    return ready;
  }

  /** The next event at hand, unless it was so long ago that the right to it was checked. */
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

  /** Looks for more that some tail has at hand. */
  private readRecent(): boolean {
    return this.feeds.some((of) => this.begin(of, of.tail.findRecent(of.position, this.userId)));
  }

  /** Looks for more, from feed to feed in turn so that a busy one does not keep the others waiting. */
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
