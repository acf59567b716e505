import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EventNotification, EVENTS_TOPIC } from '../../core/events/event-notification.js';
import { PostgresPubSub } from '../../core/pubsub/postgres-pubsub.js';
import { FanOutService } from './deliveries/fan-out.service.js';

/** Hears of events once they are committed. */
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
