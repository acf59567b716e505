import { Follower } from '../../../core/pubsub/follower.js';
import type { EventFollower } from '../../live/event-follower.js';
import { INSTALLATION_FEED } from '../../feed.store.js';
import type { NotificationNews } from './notification.view.js';
import { MAX_UNREAD_COUNTED } from './notification.view.js';

/** How many are unread, up to which number of each feed, and with which roles they were counted: a digest by organization. */
export interface UnreadCount {
  unread: number;
  ends: ReadonlyMap<string, bigint>;
  roles: ReadonlyMap<string, string>;
}

/**
 * The notifications of one user as they come, and the number of unread ones at once and whenever it changes. It is counted
 * when marks, settings or roles change; what comes in between adds to it.
 */
export class NotificationFollower extends Follower<NotificationNews> {
  private count: UnreadCount | null = null;
  private isStale = true;
  /** The feeds whose events were added to the count. */
  private readonly added = new Set<string>();

  /** @param events those that the user is notified of */
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

  /** Whether they were counted with these roles in an organization; without a digest the user has none there. */
  isCountedWith(organizationId: string, roles: string | undefined): boolean {
    return this.count?.roles.get(organizationId) === roles;
  }

  /** Whether events of an organization were added since: some of them may have been readable for a moment only. */
  hasAdded(organizationId: string): boolean {
    return this.added.has(organizationId);
  }

  /** Marks, settings or roles have changed. */
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
