import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { isDatabaseOutage } from '../../../core/errors/database-outage.js';
import { DeferredEndpointsService } from './deferred-endpoints.service.js';
import { DeliveryDispatcher } from './delivery-dispatcher.service.js';
import { EndpointQueueStore } from './endpoint-queue.store.js';
import { WebhookFeedStore } from './webhook-feed.store.js';

const BATCH_SIZE = 100;
/** Organizations whose events are read at once: each takes a connection of the pool. */
const MAX_AT_ONCE = 4;
/** While another process reads the events of an organization, this one looks again after so long, at most so many times. */
const LOOK_AGAIN_MS = 50;
const MAX_LOOKS = 40;

/**
 * Turns the events of an organization into deliveries, by number, in the process that hears of them first. What is missed here, or
 * left by a process that died, is found by the sweep.
 */
@Injectable()
export class FanOutService implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger('Webhooks');
  /** Organizations that wait to be processed. */
  private readonly waiting = new Set<string>();
  /** Organizations that are being processed; true when an event came in the meantime. */
  private readonly looking = new Map<string, boolean>();
  private readonly running = new Set<Promise<void>>();
  private isStopping = false;

  constructor(
    private readonly feed: WebhookFeedStore,
    private readonly endpoints: EndpointQueueStore,
    private readonly dispatcher: DeliveryDispatcher,
    private readonly deferred: DeferredEndpointsService,
    private readonly unit: UnitOfWork,
  ) {}

  onModuleInit(): void {
    this.deferred.subscribe(this.dispatcher);
  }

  /** Ends before the connections of the database are closed; another process, or the next start, reads what is left. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    this.waiting.clear();
    await Promise.all(this.running);
  }

  /** Says that an organization may have new events. */
  notice(organizationId: string): void {
    if (this.isStopping) return;
    if (this.looking.has(organizationId)) this.looking.set(organizationId, true);
    else this.waiting.add(organizationId);
    this.lookAtNext();
  }

  /** Finds what a lost notification, or a process that died between two steps, has left behind. */
  async sweep(): Promise<void> {
    for (const id of await this.feed.listBehind()) this.notice(id);
    await this.endpoints.makeForgottenDue();
    this.dispatcher.wake();
    this.deferred.giveSoon();
  }

  private lookAtNext(): void {
    for (const organizationId of this.waiting) {
      if (this.looking.size >= MAX_AT_ONCE) return;
      this.waiting.delete(organizationId);
      const run = this.look(organizationId).finally(() => {
        this.running.delete(run);
        this.lookAtNext();
      });
      this.running.add(run);
    }
  }

  private async look(organizationId: string): Promise<void> {
    try {
      do {
        this.looking.set(organizationId, false);
        const isBehind = await this.feed.isBehind(organizationId);
        if (isBehind) await this.readEvents(organizationId);
        // What another process makes due, this one may send.
        if (isBehind !== null) this.dispatcher.wake();
      } while (this.looking.get(organizationId) && !this.isStopping);
    } catch (error) {
      if (!isDatabaseOutage(error)) this.logger.warn(error, 'new events could not be read, trying again');
    } finally {
      this.looking.delete(organizationId);
    }
  }

  private async readEvents(organizationId: string): Promise<void> {
    for (let looks = 0; looks < MAX_LOOKS && !this.isStopping;) {
      const read = await this.unit.run(() => this.feed.fanOut(organizationId, BATCH_SIZE));
      if (read?.deferred) this.deferred.giveSoon();
      if (read?.count === BATCH_SIZE) this.dispatcher.wake();
      else if (read !== null) return;
      else {
        looks++;
        await sleep(LOOK_AGAIN_MS * (1 + Math.random()), undefined, { ref: false });
        if (!(await this.feed.isBehind(organizationId))) return;
      }
    }
  }
}
