import { Follower } from '../../../core/pubsub/follower.js';
import type { EventFollower } from '../../live/event-follower.js';
import { INSTALLATION_FEED } from '../../feed.store.js';
import type { NotificationNews } from './notification.view.js';
import { MAX_UNREAD_COUNTED } from './notification.view.js';

/** The number of unread notifications, with the last counted number of each feed and a digest of the user's roles by organization. */
export interface UnreadCount {
  unread: number;
  ends: ReadonlyMap<string, bigint>;
  roles: ReadonlyMap<string, string>;
}

/**
 * An iterator over the live notifications of a user and the number of unread ones, which it returns first and after every change. Marks,
 * settings and roles cause a new count; new events increment it.
 */
export class NotificationFollower extends Follower<NotificationNews> {
  private count: UnreadCount | null = null;
  private isStale = true;
  /** The feeds whose events have incremented the count. */
  private readonly added = new Set<string>();

  /** @param events the events of which the user is notified */
  constructor(
    private readonly events: EventFollower,
    private readonly countUnread: () => Promise<UnreadCount>,
    leave: () => void,
  ) {
    super(leave);
    events.onWake = () => this.wake();
  }

  follows(organizationId: string): boolean {
    return this.events.follows(organizationId);
  }

  /** Reports whether the count is based on these roles in an organization; a user without roles has no digest. */
  isCountedWith(organizationId: string, roles: string | undefined): boolean {
    return this.count?.roles.get(organizationId) === roles;
  }

  /** Reports whether events of an organization incremented the count; the user may have lost the right to some of them. */
  hasAdded(organizationId: string): boolean {
    return this.added.has(organizationId);
  }

  /** Call it when marks, settings or roles have changed. */
  recount(): void {
    this.isStale = true;
    this.wake();
  }

  override async return(): ReturnType<Follower<NotificationNews>['return']> {
    await this.events.return();
    return super.return();
  }

  protected override async take(): Promise<NotificationNews | null> {
    if (this.isStale || !this.count) {
      this.isStale = false;
      const before = this.count?.unread;
      this.added.clear();
      this.count = await this.countUnread().catch((error: unknown) => {
        this.isStale = true;
        throw error;
      });
      this.wake();
      if (this.count.unread !== before) return { unread: this.count.unread, seen: null };
    }
    const seen = await this.events.poll();
    if (!seen) return null;
    const { organizationId, sequence } = seen.event;
    const feed = organizationId ?? INSTALLATION_FEED;
    if (BigInt(sequence) > (this.count.ends.get(feed) ?? 0n)) {
      this.count.unread = Math.min(this.count.unread + 1, MAX_UNREAD_COUNTED);
      this.added.add(feed);
    }
    this.wake();
    return { unread: this.count.unread, seen };
  }
}
