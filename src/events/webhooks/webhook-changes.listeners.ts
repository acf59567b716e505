import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EventBus } from '../../core/events/event-bus.js';
import { DeferredEndpointsService } from './deliveries/deferred-endpoints.service.js';
import { DeliveryQueueStore } from './deliveries/delivery-queue.store.js';
import { EndpointPausesStore } from './deliveries/endpoint-pauses.store.js';
import { EndpointWakesService } from './deliveries/endpoint-wakes.service.js';
import { WebhookDeleted, WebhookDisabled, WebhookUpdated } from './endpoints/webhook.events.js';

/** What becomes of the deliveries of endpoints that are changed, disabled or deleted. */
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
      this.deferred.giveNow();
      await this.wakes.wake(webhook.id);
    });
    this.bus.within(WebhookDeleted, ({ webhook }) => this.queue.failPending(webhook.id));
    // What waits for an endpoint that a user disabled is sent once it is enabled again.
    this.bus.within(WebhookDisabled, async ({ webhook, reason }) => {
      await this.deferred.giveRest(webhook);
      if (reason) await this.queue.failPending(webhook.id);
    });
  }
}
