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
  private slice: (FeedSlice & { of: FollowedFeed }) | null = null;

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

  /** The next event at hand, unless it was so long ago that the right to it was checked. */
  private takeBuffered(): SeenEvent | null {
    if (!this.slice) return null;
    const { of, at, through, events } = this.slice;
    while (events.length > 0 && Date.now() - at < FRESH_MS) {
      const seen = events.shift() as SeenEvent;
      of.position = BigInt(seen.event.sequence);
      if (this.wanted(seen)) return seen;
    }
    if (events.length === 0) of.position = through;
    this.slice = null;
    return null;
  }

  /** Looks for more, from feed to feed in turn so that a busy one does not keep the others waiting. */
  private async readMore(): Promise<boolean> {
    for (const of of [...this.feeds]) {
      const passage = await of.tail.readAfter(of.position, this.userId);
      if (!passage) continue;
      this.slice = { ...passage, of };
      this.feeds.push(...this.feeds.splice(this.feeds.indexOf(of), 1));
      return true;
    }
    return false;
  }
}
