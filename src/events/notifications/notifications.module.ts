import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../../organizations/organizations.module.js';
import { FeedModule } from '../feed.module.js';
import { NotificationSubscriptionsService } from './inbox/notification-subscriptions.service.js';
import { NotificationsController } from './inbox/notifications.controller.js';
import { NotificationsResolver } from './inbox/notifications.resolver.js';
import { NotificationsService } from './inbox/notifications.service.js';
import { NotificationsStore } from './inbox/notifications.store.js';
import { NotificationJobsListeners } from './notification-jobs.listeners.js';
import { NotificationSettingsController } from './settings/notification-settings.controller.js';
import { NotificationSettingsService } from './settings/notification-settings.service.js';
import { NotificationSettingsStore } from './settings/notification-settings.store.js';

/** Events as they concern one user: in the application, and how they want to be told. */
@Module({
  imports: [OrganizationsModule, FeedModule],
  controllers: [NotificationSettingsController, NotificationsController],
  providers: [
    NotificationSettingsService,
    NotificationSettingsStore,
    NotificationsService,
    NotificationsStore,
    NotificationSubscriptionsService,
    NotificationsResolver,
    NotificationJobsListeners,
  ],
})
export class NotificationsModule {}
