import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { EventsStore } from './events.store.js';
import { FeedStore } from './feed.store.js';
import { EventSubscriptionsService } from './live/event-subscriptions.service.js';
import { LiveFeedService } from './live/live-feed.service.js';

/** Events as they are kept, and as they come. */
@Module({
  imports: [OrganizationsModule],
  providers: [FeedStore, EventsStore, LiveFeedService, EventSubscriptionsService],
  exports: [FeedStore, EventsStore, EventSubscriptionsService],
})
export class FeedModule {}
