import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { AuditModule } from './audit/audit.module.js';
import { EventsController, SystemEventsController } from './events.controller.js';
import { EventsResolver } from './events.resolver.js';
import { EventsService } from './events.service.js';
import { EventsStore } from './events.store.js';
import { FeedStore } from './feed.store.js';
import { EventStreamsController, SystemEventStreamsController } from './live/event-streams.controller.js';
import { EventStreamsService } from './live/event-streams.service.js';
import { LiveFeedService } from './live/live-feed.service.js';
import { EventSubscriptionsResolver } from './live/event-subscriptions.resolver.js';
import { EventSubscriptionsService } from './live/event-subscriptions.service.js';
import { EventRecorder } from './event-recorder.listeners.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';
import { WorkspaceActivityController } from './workspace-activity.controller.js';

/** What hears everybody: the feed of events, kept and followed. */
@Module({
  imports: [OrganizationsModule, WebhooksModule, AuditModule],
  controllers: [
    EventsController,
    SystemEventsController,
    EventStreamsController,
    SystemEventStreamsController,
    WorkspaceActivityController,
  ],
  providers: [
    EventRecorder,
    FeedStore,
    EventsStore,
    EventsService,
    EventsResolver,
    LiveFeedService,
    EventSubscriptionsService,
    EventSubscriptionsResolver,
    EventStreamsService,
  ],
  exports: [EventsService, EventSubscriptionsService],
})
export class EventsModule {}
