import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EventBus } from '../../core/events/event-bus.js';
import { DeferredEndpointsService } from './deliveries/deferred-endpoints.service.js';
import { DeliveryQueueStore } from './deliveries/delivery-queue.store.js';
import { EndpointPausesStore } from './deliveries/endpoint-pauses.store.js';
import { EndpointWakesService } from './deliveries/endpoint-wakes.service.js';
import { WebhookDeleted, WebhookDisabled, WebhookUpdated } from './endpoints/webhook.events.js';

/** Updates pending deliveries when endpoints are changed, disabled or deleted. */
@Injectable()
export class WebhookChangesListeners implements OnModuleInit {
  constructor(
    private readonly bus: EventBus,
    private readonly queue: DeliveryQueueStore,
    private readonly pauses: EndpointPausesStore,
    private readonly deferred: DeferredEndpointsService,
    private readonly wakes: EndpointWakesService,
  ) {}

  onModuleInit(): void {
    this.bus.within(WebhookUpdated, ({ webhook }) => this.pauses.end(webhook.id));
    this.bus.after(WebhookUpdated, async ({ webhook }) => {
      this.deferred.fanOutNow();
      await this.wakes.wake(webhook.id);
    });
    this.bus.within(WebhookDeleted, ({ webhook }) => this.queue.failPending(webhook.id));
    // Deliveries of an endpoint that a user disabled stay pending until it is enabled again.
    this.bus.within(WebhookDisabled, async ({ webhook, reason }) => {
      await this.deferred.fanOutRest(webhook);
      if (reason) await this.queue.failPending(webhook.id);
    });
  }
}
