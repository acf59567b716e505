import { Injectable, type OnModuleInit } from '@nestjs/common';
import { readDatabaseTime } from '../../../core/database/database-time.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { EventBus } from '../../../core/events/event-bus.js';
import { type EventNotification, EVENTS_TOPIC } from '../../../core/events/event-notification.js';
import { PostgresPubSub } from '../../../core/pubsub/postgres-pubsub.js';
import { MAIL_FREQUENCIES, listMailed } from '../notification-preferences.js';
import type { NotificationSettings } from '../settings/notification-settings.entity.js';
import { NotificationSettingsUpdated } from '../settings/notification-settings.events.js';
import { MailRequestsService } from './mail-requests.service.js';
import { nextDigest } from './mail-schedule.js';
import { NotificationMailsStore } from './notification-mails.store.js';

/** Schedules digests when settings change, and immediate mail after the commit of events. */
@Injectable()
export class MailScheduleListeners implements OnModuleInit {
  constructor(
    private readonly bus: EventBus,
    private readonly pubsub: PostgresPubSub,
    private readonly requests: MailRequestsService,
    private readonly mails: NotificationMailsStore,
    private readonly unit: UnitOfWork,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.pubsub.subscribe<EventNotification>(EVENTS_TOPIC, ({ organizationId, category }) => {
      if (organizationId) void this.requests.notice(category);
    });
    this.bus.within(NotificationSettingsUpdated, ({ settings }) =>
      this.unit.runAsSystem('the schedule of mails', () => this.schedule(settings)),
    );
  }

  private async schedule(settings: NotificationSettings): Promise<void> {
    const now = await readDatabaseTime(this.unit.manager);
    for (const frequency of MAIL_FREQUENCIES) {
      const key = { userId: settings.userId, frequency };
      const dueAt = nextDigest(frequency, settings, now);
      if (listMailed(settings.categories, frequency).length === 0) await this.mails.stop(key);
      else if (dueAt) await this.mails.scheduleDigest(key, dueAt);
      else await this.mails.restart(key);
    }
  }
}
