import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EventBus } from '../../core/events/event-bus.js';
import { type EventNotification, EVENTS_TOPIC } from '../../core/events/event-notification.js';
import { PostgresPubSub } from '../../core/pubsub/postgres-pubsub.js';
import { DeferredEndpointsService } from './deliveries/deferred-endpoints.service.js';
import { DeliveryQueueStore } from './deliveries/delivery-queue.store.js';
import { EndpointPausesStore } from './deliveries/endpoint-pauses.store.js';
import { EndpointWakesService } from './deliveries/endpoint-wakes.service.js';
import { FanOutService } from './deliveries/fan-out.service.js';
import { WebhookDeleted, WebhookDisabled, WebhookUpdated } from './endpoints/webhook.events.js';

/** Hears of events once they are committed, and of endpoints that nothing is sent to any more. */
@Injectable()
export class WebhookEventsListeners implements OnModuleInit {
  constructor(
    private readonly pubsub: PostgresPubSub,
    private readonly fanOut: FanOutService,
    private readonly bus: EventBus,
    private readonly queue: DeliveryQueueStore,
    private readonly pauses: EndpointPausesStore,
    private readonly deferred: DeferredEndpointsService,
    private readonly wakes: EndpointWakesService,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.pubsub.subscribe<EventNotification>(EVENTS_TOPIC, ({ organizationId }) => {
      if (organizationId) this.fanOut.notice(organizationId);
    });
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
