import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { EventsController, SystemEventsController } from './feed/events.controller.js';
import { EventsResolver } from './feed/events.resolver.js';
import { EventsService } from './feed/events.service.js';
import { EventsStore } from './feed/events.store.js';
import { FeedStore } from './feed/feed.store.js';
import { EventStreamsService } from './feed/live/event-streams.js';
import { LiveFeedService } from './feed/live/live-feed.js';
import { EventSubscriptionsService } from './feed/live/subscriptions.service.js';
import { EventRecorder } from './feed/recorder.js';
import { WorkspaceActivityController } from './feed/workspace-activity.controller.js';

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
