import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { assertScope } from '../../../core/authorization/permission-errors.js';
import type { Actor } from '../../../core/access/actor.js';
import { mayChangeRoles } from '../../../core/events/event-kinds.js';
import { type EventNotification, EVENTS_TOPIC } from '../../../core/events/event-notification.js';
import { runAsSystem } from '../../../core/database/row-security.js';
import { PostgresPubSub } from '../../../core/pubsub/postgres-pubsub.js';
import { EventSubscriptionsService } from '../../live/event-subscriptions.service.js';
import { isNotified } from '../notification-conditions.js';
import { notificationPolicy } from '../notification.policy.js';
import { type NotificationsNotice, NOTIFICATIONS_TOPIC } from '../notification-topic.js';
import { NotificationSettingsStore } from '../settings/notification-settings.store.js';
import { NotificationFollower } from './notification-follower.js';
import { type Recipient, toRecipient } from '../recipient.js';
import { NotificationsStore } from './notifications.store.js';

/** The period in which changes of roles are combined. */
const GATHER_MS = 250;

/** Subscribes users to their live notifications. */
@Injectable()
export class NotificationSubscriptionsService implements OnModuleInit, OnModuleDestroy {
  private readonly followers = new Map<NotificationFollower, string>();
  /** The number of possible changes of roles by organization. */
  private readonly changes = new Map<string, number>();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly events: EventSubscriptionsService,
    private readonly notifications: NotificationsStore,
    private readonly settings: NotificationSettingsStore,
    private readonly pubsub: PostgresPubSub,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.pubsub.subscribe<NotificationsNotice>(NOTIFICATIONS_TOPIC, ({ userId }) => this.recount(userId));
    await this.pubsub.subscribe<EventNotification>(EVENTS_TOPIC, (notice) => this.onEvent(notice));
    this.pubsub.onMissed(() => this.recount());
  }

  /** @throws Forbidden when the actor is not a user */
  async follow(actor: Actor): Promise<NotificationFollower> {
    assertScope(actor, notificationPolicy.read);
    let recipient: Recipient;
    const events = await this.events.followAll(actor, ({ event }) => isNotified(recipient, event));
    const { userId } = events;
    const count = async () => {
      recipient = toRecipient(await this.settings.find(userId));
      return this.notifications.countUnread(recipient);
    };
    const follower: NotificationFollower = new NotificationFollower(
      events,
      () => runAsSystem('counting notifications', count),
      () => this.followers.delete(follower),
    );
    this.followers.set(follower, userId);
    return follower;
  }

  async onModuleDestroy(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    for (const follower of [...this.followers.keys()]) await follower.return();
  }

  private recount(userId?: string): void {
    for (const [follower, of] of this.followers) if (!userId || of === userId) follower.recount();
  }

  private onEvent(notice: EventNotification): void {
    if (notice.organizationId === null || this.followers.size === 0 || !mayChangeRoles(notice)) return;
    this.changes.set(notice.organizationId, (this.changes.get(notice.organizationId) ?? 0) + 1);
    this.timer ??= setTimeout(() => {
      this.timer = null;
      const changes = [...this.changes];
      this.changes.clear();
      for (const [organizationId, count] of changes) void this.recountChanged(organizationId, count > 1);
    }, GATHER_MS).unref();
  }

  /**
   * Recounts for users whose roles in an organization differ from those of their count. After several changes, a role may have been granted
   * and revoked in between: then it also recounts for users whose count has been incremented.
   */
  private async recountChanged(organizationId: string, isRepeated: boolean): Promise<void> {
    const concerned = [...this.followers].filter(([follower]) => follower.follows(organizationId));
    if (concerned.length === 0) return;
    const users = [...new Set(concerned.map(([, userId]) => userId))];
    const digests = await runAsSystem('counting notifications', () =>
      this.notifications.digestRoles(organizationId, users),
    ).catch(() => null);
    for (const [follower, userId] of concerned) {
      const isSame = digests && follower.isCountedWith(organizationId, digests.get(userId));
      if (!isSame || (isRepeated && follower.hasAdded(organizationId))) follower.recount();
    }
  }
}
