import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { isDatabaseOutage } from '../../../core/errors/database-outage.js';
import { DeferredEndpointsService } from './deferred-endpoints.service.js';
import { DeliveryDispatcher } from './delivery-dispatcher.service.js';
import { EndpointQueueStore } from './endpoint-queue.store.js';
import { WebhookFeedStore } from './webhook-feed.store.js';

const BATCH_SIZE = 100;
/** The maximum number of organizations processed at once; each takes a connection of the pool. */
const MAX_AT_ONCE = 4;
/** The interval and the number of retries while another process fans out the events of an organization. */
const RETRY_MS = 50;
const MAX_RETRIES = 40;

/**
 * Creates deliveries for the events of an organization, in order, in one process at a time. A periodic sweep finds events after lost
 * notifications and crashes.
 */
@Injectable()
export class FanOutService implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger('Webhooks');
  /** Organizations that wait to be processed. */
  private readonly waiting = new Set<string>();
  /** Organizations that are being processed; true when new events arrived meanwhile. */
  private readonly processing = new Map<string, boolean>();
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

  /** Finishes before the database connections are closed; another process, or the next start, continues. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    this.waiting.clear();
    await Promise.all(this.running);
  }

  /** Processes the new events of an organization, if any. */
  notice(organizationId: string): void {
    if (this.isStopping) return;
    if (this.processing.has(organizationId)) this.processing.set(organizationId, true);
    else this.waiting.add(organizationId);
    this.processNext();
  }

  /** Finds unprocessed events and deliveries after a lost notification or a crash. */
  async sweep(): Promise<void> {
    for (const id of await this.feed.listBehind()) this.notice(id);
    await this.endpoints.makeMissedDue();
    this.dispatcher.wake();
    this.deferred.fanOutSoon();
  }

  private processNext(): void {
    for (const organizationId of this.waiting) {
      if (this.processing.size >= MAX_AT_ONCE) return;
      this.waiting.delete(organizationId);
      const run = this.process(organizationId).finally(() => {
        this.running.delete(run);
        this.processNext();
      });
      this.running.add(run);
    }
  }

  private async process(organizationId: string): Promise<void> {
    try {
      do {
        this.processing.set(organizationId, false);
        const isBehind = await this.feed.isBehind(organizationId);
        if (isBehind) await this.readEvents(organizationId);
        // This process may also send deliveries that another process created.
        if (isBehind !== null) this.dispatcher.wake();
      } while (this.processing.get(organizationId) && !this.isStopping);
    } catch (error) {
      if (!isDatabaseOutage(error)) this.logger.warn(error, 'creating deliveries failed and will be retried');
    } finally {
      this.processing.delete(organizationId);
    }
  }

  private async readEvents(organizationId: string): Promise<void> {
    for (let retries = 0; retries < MAX_RETRIES && !this.isStopping;) {
      const read = await this.unit.run(() => this.feed.fanOut(organizationId, BATCH_SIZE));
      if (read?.deferred) this.deferred.fanOutSoon();
      if (read?.count === BATCH_SIZE) this.dispatcher.wake();
      else if (read !== null) return;
      else {
        retries++;
        await sleep(RETRY_MS * (1 + Math.random()), undefined, { ref: false });
        if (!(await this.feed.isBehind(organizationId))) return;
      }
    }
  }
}
