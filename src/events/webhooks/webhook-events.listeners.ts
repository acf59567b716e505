import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EventNotification, EVENTS_TOPIC } from '../../core/events/event-notification.js';
import { PostgresPubSub } from '../../core/pubsub/postgres-pubsub.js';
import { FanOutService } from './deliveries/fan-out.service.js';

/** Starts the fan-out after the commit of an event. */
@Injectable()
export class WebhookEventsListeners implements OnModuleInit {
  constructor(
    private readonly pubsub: PostgresPubSub,
    private readonly fanOut: FanOutService,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.pubsub.subscribe<EventNotification>(EVENTS_TOPIC, ({ organizationId }) => {
      if (organizationId) this.fanOut.notice(organizationId);
    });
  }
}
