import { Injectable } from '@nestjs/common';
import { assertScope } from '../../../core/authorization/permission-errors.js';
import type { Actor } from '../../../core/access/actor.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { NotFound } from '../../../core/errors/app-error.js';
import type { Precondition } from '../../../core/rest/precondition.js';
import { assertReadOnlyUnchanged } from '../../../core/rest/read-only-fields.js';
import { OrganizationsService } from '../../../organizations/organizations.service.js';
import type { SeenEvent } from '../../event.entity.js';
import { eventRevision } from '../../event.view.js';
import { FeedStore } from '../../feed.store.js';
import { notificationPolicy } from '../notification.policy.js';
import { type Recipient, toRecipient } from '../recipient.js';
import { NotificationSettingsStore } from '../settings/notification-settings.store.js';
import type { NotificationChange, NotificationListQuery, NotificationsChange } from './notification.inputs.js';
import { type MarkedNotificationsView, type NotificationList, NotificationView } from './notification.view.js';
import { NotificationsStore } from './notifications.store.js';

/** The in-app notifications of users, by their current rights and settings. */
@Injectable()
export class NotificationsService {
  constructor(
    private readonly notifications: NotificationsStore,
    private readonly settings: NotificationSettingsStore,
    private readonly feeds: FeedStore,
    private readonly organizations: OrganizationsService,
    private readonly unit: UnitOfWork,
  ) {}

  /** @throws NotFound when the actor does not belong to the given organization */
  async list(actor: Actor, query: NotificationListQuery): Promise<NotificationList> {
    assertScope(actor, notificationPolicy.read);
    if (query.organization_id) await this.organizations.get(actor, query.organization_id);
    const recipient = await this.toRecipient(actor);
    const page = await this.notifications.page(recipient, query);
    const { unread } = await this.notifications.countUnread(recipient);
    return { ...page, unread };
  }

  /** @throws NotFound when the actor has no such notification */
  async get(actor: Actor, id: string): Promise<SeenEvent> {
    assertScope(actor, notificationPolicy.read);
    const seen = await this.notifications.find(await this.toRecipient(actor), id);
    if (!seen) throw new NotFound('notification', id);
    return seen;
  }

  /** @throws NotFound when the actor has no such notification */
  async authorize(actor: Actor, _operation: unknown, id: string): Promise<void> {
    await this.get(actor, id);
  }

  /** @throws AppError 412 when the status changed since the caller read it */
  async mark(actor: Actor, id: string, input: NotificationChange, match: Precondition): Promise<SeenEvent> {
    assertScope(actor, notificationPolicy.mark);
    const recipient = await this.toRecipient(actor);
    return this.unit.run(async () => {
      const seen = await this.get(actor, id);
      match.assertMatches(eventRevision(seen));
      assertReadOnlyUnchanged(input, NotificationView.fromSeenEvent(seen));
      const read = input.status === 'read';
      if (seen.read !== read) await this.notifications.mark(recipient.userId, [id], read);
      return { ...seen, read };
    });
  }

  /** Marks several notifications; ignores ids that are not notifications of the actor. */
  async markAll(actor: Actor, input: NotificationsChange): Promise<MarkedNotificationsView> {
    assertScope(actor, notificationPolicy.mark);
    const { status, ids } = input.parse();
    const recipient = await this.toRecipient(actor);
    const marked = await this.unit.run(async () => {
      if (ids === 'all') {
        await this.notifications.markAllRead(recipient.userId, await this.feeds.findEndsForUser(recipient.userId));
        return {};
      }
      const notified = await this.notifications.filterNotified(recipient, ids);
      await this.notifications.mark(recipient.userId, notified, status === 'read');
      return { ids: notified };
    });
    const { unread } = await this.notifications.countUnread(recipient);
    return { status, ...marked, unread_count: unread };
  }

  /** @throws NotFound when the actor is not a user */
  private async toRecipient({ userId, name }: Actor): Promise<Recipient> {
    if (!userId) throw new NotFound('user', name);
    return toRecipient(await this.settings.find(userId));
  }
}
