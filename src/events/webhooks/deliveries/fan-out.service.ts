import { Injectable, Logger } from '@nestjs/common';
import { isDatabaseOutage } from '../../../core/errors/database-outage.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import type { JobContext } from '../../../jobs/job-handler.registry.js';
import type { Job } from '../../../jobs/job.js';
import { DeliveryQueueStore } from './delivery-queue.store.js';
import { DeliveryWakesService, type FanOutPayload } from './delivery-wakes.service.js';

const BATCH_SIZE = 100;

/** Turns the events of an organization into deliveries, by number. */
@Injectable()
export class FanOutService {
  private readonly logger = new Logger('Webhooks');
  /** Organizations that are being processed; true when an event came in the meantime. */
  private readonly looking = new Map<string, boolean>();

  constructor(
    private readonly queue: DeliveryQueueStore,
    private readonly wakes: DeliveryWakesService,
    private readonly unit: UnitOfWork,
  ) {}

  /** Says that an organization may have a new event. What is missed here is found by the sweep. */
  async notice(organizationId: string): Promise<void> {
    if (this.looking.has(organizationId)) {
      this.looking.set(organizationId, true);
      return;
    }
    try {
      do {
        this.looking.set(organizationId, false);
        if (await this.queue.isBehind(organizationId)) await this.wakes.wakeFeeds([organizationId]);
      } while (this.looking.get(organizationId));
    } catch (error) {
      if (!isDatabaseOutage(error)) this.logger.warn(error, 'new events could not be looked for, trying again');
    } finally {
      this.looking.delete(organizationId);
    }
  }

  async run({ payload: { organizationId } }: Job<FanOutPayload>, { signal }: JobContext): Promise<void> {
    for (let read = BATCH_SIZE; read === BATCH_SIZE && !signal.aborted;) {
      const batch = await this.unit.run(() => this.queue.fanOut(organizationId, BATCH_SIZE));
      await this.wakes.wakeEndpoints(batch.endpoints);
      read = batch.read;
    }
  }
}
