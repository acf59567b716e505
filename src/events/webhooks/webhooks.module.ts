import { Module } from '@nestjs/common';
import { JobsModule } from '../../jobs/jobs.module.js';
import { OrganizationsModule } from '../../organizations/organizations.module.js';
import { WorkspacesModule } from '../../workspaces/workspaces.module.js';
import { DeferredEndpointsService } from './deliveries/deferred-endpoints.service.js';
import { DeliveryAttemptsService } from './deliveries/delivery-attempts.service.js';
import { DeliveryDispatcher } from './deliveries/delivery-dispatcher.service.js';
import { DeliveryOutcomesService } from './deliveries/delivery-outcomes.service.js';
import { DeliveryQueueStore } from './deliveries/delivery-queue.store.js';
import { DeliveryRunner } from './deliveries/delivery.runner.js';
import { EndpointHealthService } from './deliveries/endpoint-health.service.js';
import { EndpointHealthStore } from './deliveries/endpoint-health.store.js';
import { EndpointPausesStore } from './deliveries/endpoint-pauses.store.js';
import { EndpointQueueStore } from './deliveries/endpoint-queue.store.js';
import { EndpointWakesService } from './deliveries/endpoint-wakes.service.js';
import { FanOutService } from './deliveries/fan-out.service.js';
import { WebhookDeliveriesService } from './deliveries/webhook-deliveries.service.js';
import { WebhookDeliveriesStore } from './deliveries/webhook-deliveries.store.js';
import { WebhookFeedStore } from './deliveries/webhook-feed.store.js';
import { WebhookMetrics } from './deliveries/webhook-metrics.js';
import { WebhookSender } from './deliveries/webhook-sender.service.js';
import { WebhookSettings } from './deliveries/webhook-settings.js';
import {
  OrganizationWebhookAuthorizer,
  WebhookOwnersService,
  WorkspaceWebhookAuthorizer,
} from './endpoints/webhook-owners.service.js';
import { WebhookSecretsService } from './endpoints/webhook-secrets.service.js';
import { WebhooksService } from './endpoints/webhooks.service.js';
import { WebhooksStore } from './endpoints/webhooks.store.js';
import { WebhookChangesListeners } from './webhook-changes.listeners.js';
import { createWebhookDeliveriesController } from './deliveries/webhook-deliveries.controller.js';
import { WEBHOOK_ROUTES } from './endpoints/webhook-routes.js';
import { createWebhooksController } from './endpoints/webhooks.controller.js';
import { WebhookEventsListeners } from './webhook-events.listeners.js';
import { WebhookJobsListeners } from './webhook-jobs.listeners.js';

/** Webhooks: endpoints, and deliveries of events to them. */
@Module({
  imports: [JobsModule, OrganizationsModule, WorkspacesModule],
  controllers: WEBHOOK_ROUTES.flatMap((routes) => [
    createWebhooksController(routes),
    createWebhookDeliveriesController(routes),
  ]),
  providers: [
    WebhooksStore,
    WebhooksService,
    WebhookOwnersService,
    WebhookSecretsService,
    WorkspaceWebhookAuthorizer,
    OrganizationWebhookAuthorizer,
    WebhookSettings,
    WebhookSender,
    WebhookMetrics,
    DeliveryQueueStore,
    DeferredEndpointsService,
    DeliveryDispatcher,
    DeliveryOutcomesService,
    DeliveryAttemptsService,
    DeliveryRunner,
    EndpointHealthService,
    EndpointHealthStore,
    EndpointPausesStore,
    EndpointQueueStore,
    EndpointWakesService,
    WebhookFeedStore,
    FanOutService,
    WebhookDeliveriesService,
    WebhookDeliveriesStore,
    WebhookChangesListeners,
    WebhookEventsListeners,
    WebhookJobsListeners,
  ],
})
export class WebhooksModule {}
