import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { AuditModule } from './audit/audit.module.js';
import { EventsController, SystemEventsController } from './events.controller.js';
import { EventsResolver } from './events.resolver.js';
import { EventsService } from './events.service.js';
import { FeedModule } from './feed.module.js';
import { EventStreamsController, SystemEventStreamsController } from './live/event-streams.controller.js';
import { EventStreamsService } from './live/event-streams.service.js';
import { EventSubscriptionsResolver } from './live/event-subscriptions.resolver.js';
import { EventRecorder } from './event-recorder.listeners.js';
import { NotificationsModule } from './notifications/notifications.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';
import { WorkspaceActivityController } from './workspace-activity.controller.js';

/** What hears everybody: the feed of events, kept and followed. */
@Module({
  imports: [OrganizationsModule, FeedModule, NotificationsModule, WebhooksModule, AuditModule],
  controllers: [
    EventsController,
    SystemEventsController,
    EventStreamsController,
    SystemEventStreamsController,
    WorkspaceActivityController,
  ],
  providers: [EventRecorder, EventsService, EventsResolver, EventSubscriptionsResolver, EventStreamsService],
  exports: [EventsService, FeedModule],
})
export class EventsModule {}
