import { Injectable } from '@nestjs/common';
import { Actor } from '../../../core/access/actor.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { DeliveryQueueStore, type WaitingEndpoint } from './delivery-queue.store.js';

export const FAN_OUT_QUEUE = 'webhook-events';
export const DELIVERY_QUEUE = 'webhook-deliveries';
/** Endpoints that fail or answer slowly wait here, so that they hold no place of the others. */
export const SLOW_DELIVERY_QUEUE = 'webhook-deliveries-slow';

export interface FanOutPayload {
  organizationId: string;
}

export interface DeliveryPayload {
  webhookId: string;
}

const BATCH_SIZE = 200;
const actor = Actor.system('webhooks');

/** Asks for the jobs of webhooks. Each finds in the tables what there is to do, so one that waits is enough. */
@Injectable()
export class DeliveryWakesService {
  constructor(
    private readonly jobs: JobsService,
    private readonly queue: DeliveryQueueStore,
  ) {}

  async wakeFeeds(organizationIds: string[]): Promise<void> {
    if (organizationIds.length === 0) return;
    await this.jobs.enqueueOnce(
      actor,
      organizationIds.map((organizationId) => ({
        queue: FAN_OUT_QUEUE,
        payload: { organizationId } satisfies FanOutPayload,
        organizationId,
        serialKey: `${FAN_OUT_QUEUE} ${organizationId}`,
      })),
    );
  }

  /** Some at a time, for each takes a lock in the database. */
  async wakeEndpoints(endpoints: WaitingEndpoint[]): Promise<void> {
    for (let begin = 0; begin < endpoints.length; begin += BATCH_SIZE)
      await this.jobs.enqueueOnce(
        actor,
        endpoints.slice(begin, begin + BATCH_SIZE).map(({ webhookId, organizationId, slow, dueAt }) => ({
          queue: slow ? SLOW_DELIVERY_QUEUE : DELIVERY_QUEUE,
          payload: { webhookId } satisfies DeliveryPayload,
          organizationId,
          serialKey: `${DELIVERY_QUEUE} ${webhookId}`,
          runAt: dueAt,
        })),
      );
  }

  /** @param restMs gives other endpoints a turn */
  async wakeEndpoint(webhookId: string, restMs = 0): Promise<void> {
    await this.wakeEndpoints(await this.queue.listWaiting(webhookId, restMs));
  }

  /** Finds what a lost notification, or a process that died between two steps, has left behind. */
  async sweep(): Promise<void> {
    await this.wakeFeeds(await this.queue.listBehind());
    await this.wakeEndpoints(await this.queue.listWaiting());
  }
}
