import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { isDatabaseOutage } from '../../core/errors/database-outage.js';
import { mayChangeRoles } from '../../core/events/event-kinds.js';
import { type EventNotification, EVENTS_TOPIC } from '../../core/events/event-notification.js';
import { PostgresPubSub } from '../../core/pubsub/postgres-pubsub.js';
import { type FeedEnd, FeedStore, INSTALLATION_FEED } from '../feed.store.js';
import { KeptEventsStore } from '../kept-events.store.js';
import { FeedTail } from './feed-tail.js';
import { EventFollower, type EventPredicate } from './event-follower.js';

/** The maximum delay of events after a lost notification, such as on a connection that died silently. */
const FALLBACK_INTERVAL_MS = 15_000;

/** The position in a feed at which a follower starts. */
export interface StartPosition extends FeedEnd {
  position: bigint;
}

/** The followers of events on this replica, and the tails of their feeds. */
@Injectable()
export class LiveFeedService implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(LiveFeedService.name);
  private readonly tails = new Map<string, FeedTail>();
  private readonly followers = new Set<EventFollower>();
  /** Followers of all organizations of their user. */
  private readonly everywhere = new Set<EventFollower>();
  private readonly timer = setInterval(() => this.catchUp(), FALLBACK_INTERVAL_MS).unref();
  private isLookingForFeeds = false;

  constructor(
    private readonly store: FeedStore,
    private readonly kept: KeptEventsStore,
    private readonly pubsub: PostgresPubSub,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.pubsub.subscribe<EventNotification>(EVENTS_TOPIC, (notice) => this.onNotice(notice));
    this.pubsub.onMissed(() => {
      for (const follower of this.followers) follower.recheck();
      this.catchUp();
    });
  }

  /**
   * Adds a follower. With `everywhere` it also follows the organizations that the user joins later.
   *
   * @param authorize called when a right may have ended
   */
  follow(
    userId: string,
    beginnings: StartPosition[],
    wanted: EventPredicate,
    everywhere: boolean,
    authorize?: () => Promise<void>,
  ): EventFollower {
    const follower = new EventFollower(userId, wanted, () => this.leave(follower), authorize);
    this.followers.add(follower);
    if (everywhere) this.everywhere.add(follower);
    for (const { feed, last, position } of beginnings)
      follower.follow(feed, this.getOrCreateTail(feed, last), position);
    return follower;
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    for (const follower of [...this.followers]) await follower.return();
  }

  private onNotice(notice: EventNotification): void {
    const feed = notice.organizationId ?? INSTALLATION_FEED;
    this.tails.get(feed)?.wake();
    if (mayChangeRoles(notice)) for (const follower of this.followers) if (follower.follows(feed)) follower.recheck();
    const mayAdmit = notice.category === 'member' || notice.category === 'organization';
    if (mayAdmit && this.everywhere.size > 0)
      this.addJoinedFeeds(feed).catch((error: unknown) => this.logger.warn(error));
  }

  /** A new tail starts with a read, because notifications since the read of `last` woke no tail. */
  private getOrCreateTail(feed: string, last: bigint): FeedTail {
    const known = this.tails.get(feed);
    if (known) return known;
    const tail = new FeedTail(feed, last, this.store);
    this.tails.set(feed, tail);
    setImmediate(() => tail.wake());
    return tail;
  }

  private leave(follower: EventFollower): void {
    this.followers.delete(follower);
    this.everywhere.delete(follower);
    for (const tail of follower.tails) tail.remove(follower);
    for (const [feed, tail] of this.tails) if (tail.isIdle) this.tails.delete(feed);
  }

  /** Catches up after lost notifications: with new events, and with organizations that users have joined. */
  private catchUp(): void {
    for (const tail of this.tails.values()) tail.wake();
    if (this.isLookingForFeeds || this.everywhere.size === 0) return;
    this.isLookingForFeeds = true;
    void this.addJoinedFeeds()
      .catch((error: unknown) => isDatabaseOutage(error) || this.logger.warn(error))
      .finally(() => (this.isLookingForFeeds = false));
  }

  /** Adds the organizations that users have joined, or one of them, to their followers: with the events since they joined. */
  private async addJoinedFeeds(only?: string): Promise<void> {
    const apart = [...this.everywhere].filter((follower) => only === undefined || !follower.follows(only));
    if (apart.length === 0) return;
    const memberships = await this.store.listMemberships([...new Set(apart.map(({ userId }) => userId))], only);
    for (const { feed, userId, since } of memberships) {
      const joining = apart.filter((each) => each.userId === userId && !each.follows(feed));
      if (joining.length === 0) continue;
      const position = await this.kept.findLastBefore(feed, since);
      for (const follower of joining) follower.follow(feed, this.getOrCreateTail(feed, position), position);
    }
  }
}
