import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { EventsStore } from './events.store.js';
import { FeedStore } from './feed.store.js';
import { EventSubscriptionsService } from './live/event-subscriptions.service.js';
import { LiveFeedService } from './live/live-feed.service.js';
import { KeptEventsStore } from './kept-events.store.js';

/** Stored and live events. */
@Module({
  imports: [OrganizationsModule],
  providers: [FeedStore, KeptEventsStore, EventsStore, LiveFeedService, EventSubscriptionsService],
  exports: [FeedStore, KeptEventsStore, EventsStore, EventSubscriptionsService],
})
export class FeedModule {}
