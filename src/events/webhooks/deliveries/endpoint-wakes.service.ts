import { Injectable } from '@nestjs/common';
import { DeliveryDispatcher } from './delivery-dispatcher.service.js';
import { EndpointQueueStore } from './endpoint-queue.store.js';

/** Processes an endpoint immediately, on request. */
@Injectable()
export class EndpointWakesService {
  constructor(
    private readonly queue: EndpointQueueStore,
    private readonly dispatcher: DeliveryDispatcher,
  ) {}

  /** Call it after the commit of the new deliveries. */
  async wake(webhookId: string): Promise<void> {
    await this.queue.makeDue(webhookId);
    this.dispatcher.wake();
  }
}
