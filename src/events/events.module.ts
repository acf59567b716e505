import { Module } from '@nestjs/common';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { AuditModule } from './audit/audit.module.js';
import { BurstsStore } from './activity/bursts.store.js';
import { WorkspaceActivityController } from './activity/workspace-activity.controller.js';
import { EventsController, SystemEventsController } from './events.controller.js';
import { EventErasuresService } from './log/event-erasures.service.js';
import { EventExportService } from './log/event-export.service.js';
import { EventLogController, InstallationEventLogController } from './log/event-log.controller.js';
import { EventLogStore } from './log/event-log.store.js';
import { EventPurgeRunner } from './log/event-purge.runner.js';
import { EventPurgesService } from './log/event-purges.service.js';
import { EventsResolver } from './events.resolver.js';
import { EventsService } from './events.service.js';
import { FeedModule } from './feed.module.js';
import { EventStreamsController, SystemEventStreamsController } from './live/event-streams.controller.js';
import { EventStreamsService } from './live/event-streams.service.js';
import { EventSubscriptionsResolver } from './live/event-subscriptions.resolver.js';
import { EventRecorder } from './event-recorder.listeners.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { EventRetentionService } from './retention/event-retention.service.js';
import { EventJobsListeners } from './retention/event-jobs.listeners.js';
import { NotificationsModule } from './notifications/notifications.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/** Events of all features: stored, listed and streamed. */
@Module({
  imports: [JobsModule, OrganizationsModule, FeedModule, NotificationsModule, WebhooksModule, AuditModule],
  controllers: [
    EventsController,
    SystemEventsController,
    EventStreamsController,
    SystemEventStreamsController,
    WorkspaceActivityController,
    EventLogController,
    InstallationEventLogController,
  ],
  providers: [
    BurstsStore,
    EventRecorder,
    EventRetentionService,
    EventJobsListeners,
    EventLogStore,
    EventExportService,
    EventPurgeRunner,
    EventPurgesService,
    EventErasuresService,
    EventsService,
    EventsResolver,
    EventSubscriptionsResolver,
    EventStreamsService,
  ],
  exports: [EventsService, FeedModule],
})
export class EventsModule {}
