import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { assertScope } from '../../../core/authorization/permission-errors.js';
import type { Actor } from '../../../core/access/actor.js';
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

/** Lets users follow their notifications as they come. */
@Injectable()
export class NotificationSubscriptionsService implements OnModuleInit, OnModuleDestroy {
  private readonly followers = new Map<NotificationFollower, string>();

  constructor(
    private readonly events: EventSubscriptionsService,
    private readonly notifications: NotificationsStore,
    private readonly settings: NotificationSettingsStore,
    private readonly pubsub: PostgresPubSub,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.pubsub.subscribe<NotificationsNotice>(NOTIFICATIONS_TOPIC, ({ userId }) => this.recount(userId));
    this.pubsub.onGap(() => this.recount());
  }

  /** @throws Forbidden when the actor is no user */
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
    for (const follower of [...this.followers.keys()]) await follower.return();
  }

  private recount(userId?: string): void {
    for (const [follower, of] of this.followers) if (!userId || of === userId) follower.recount();
  }
}
