import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { EventsController, SystemEventsController } from './events.controller.js';
import { EventsResolver } from './events.resolver.js';
import { EventsService } from './events.service.js';
import { EventsStore } from './events.store.js';
import { FeedStore } from './feed.store.js';
import { EventStreamsService } from './live/event-streams.service.js';
import { LiveFeedService } from './live/live-feed.service.js';
import { EventSubscriptionsService } from './live/event-subscriptions.service.js';
import { EventRecorder } from './event-recorder.listeners.js';
import { WorkspaceActivityController } from './workspace-activity.controller.js';

/** What hears everybody: the feed of events, kept and followed. */
@Module({
  imports: [OrganizationsModule],
  controllers: [EventsController, SystemEventsController, WorkspaceActivityController],
  providers: [
    EventRecorder,
    FeedStore,
    EventsStore,
    EventsService,
    EventsResolver,
    LiveFeedService,
    EventSubscriptionsService,
    EventStreamsService,
  ],
  exports: [EventsService, EventSubscriptionsService],
})
export class EventsModule {}
