import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../../organizations/organizations.module.js';
import { FeedModule } from '../feed.module.js';
import { NotificationSubscriptionsService } from './inbox/notification-subscriptions.service.js';
import { NotificationsController } from './inbox/notifications.controller.js';
import { NotificationsResolver } from './inbox/notifications.resolver.js';
import { NotificationsService } from './inbox/notifications.service.js';
import { NotificationsStore } from './inbox/notifications.store.js';
import { MailClaimsService } from './mail/mail-claims.service.js';
import { MailEventsStore } from './mail/mail-events.store.js';
import { MailRequestsService } from './mail/mail-requests.service.js';
import { MailScheduleListeners } from './mail/mail-schedule.listeners.js';
import { MailSettings } from './mail/mail-settings.js';
import { NotificationMailsService } from './mail/notification-mails.service.js';
import { NotificationMailsStore } from './mail/notification-mails.store.js';
import { UnsubscribeLinksService } from './mail/unsubscribe-links.service.js';
import { UnsubscribeController } from './mail/unsubscribe.controller.js';
import { NotificationsPageController } from './page/notifications-page.controller.js';
import { NotificationJobsListeners } from './notification-jobs.listeners.js';
import { NotificationSettingsController } from './settings/notification-settings.controller.js';
import { NotificationSettingsService } from './settings/notification-settings.service.js';
import { NotificationSettingsStore } from './settings/notification-settings.store.js';

/** Notifications of users about events, in the application and by mail. */
@Module({
  imports: [OrganizationsModule, FeedModule],
  controllers: [
    NotificationSettingsController,
    UnsubscribeController,
    NotificationsPageController,
    NotificationsController,
  ],
  providers: [
    NotificationSettingsService,
    NotificationSettingsStore,
    NotificationsService,
    NotificationsStore,
    NotificationSubscriptionsService,
    NotificationsResolver,
    MailSettings,
    NotificationMailsStore,
    MailEventsStore,
    MailClaimsService,
    MailRequestsService,
    NotificationMailsService,
    MailScheduleListeners,
    UnsubscribeLinksService,
    NotificationJobsListeners,
  ],
})
export class NotificationsModule {}
