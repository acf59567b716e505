import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { isDatabaseOutage } from '../../../core/errors/database-outage.js';
import { runInRequestContext } from '../../../core/telemetry/request-context.js';
import { makeWebhookContext } from './webhook-context.js';
import { WebhookFeedStore } from './webhook-feed.store.js';
import { WebhookSettings } from './webhook-settings.js';

/** The maximum number of endpoints in one step, and of events for each. */
const ENDPOINTS = 25;
const EVENTS = 20;
/** The pause between two steps, as a multiple of the duration of the last step. */
const REST_SHARE = 2;
/** How long a step waits for deliveries to healthy endpoints, and the interval of its checks. */
const MAX_WAIT_MS = 1_000;
const POLL_MS = 10;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';
/** More events than any organization has. */
const ALL = 1e15;

interface Dispatcher {
  wake: () => void;
  readonly isSending: boolean;
}

/**
 * Creates deliveries for failing endpoints, after those of healthy endpoints and in small steps, so that deliveries to healthy endpoints do
 * not wait, however many endpoints fail.
 */
@Injectable()
export class DeferredEndpointsService implements OnModuleDestroy {
  private readonly logger = new Logger('Webhooks');
  private timer: NodeJS.Timeout | null = null;
  private isRunning = false;
  private isWantedAgain = false;
  private isStopping = false;
  private dispatcher: Dispatcher = { wake: () => undefined, isSending: false };

  constructor(
    private readonly feed: WebhookFeedStore,
    private readonly settings: WebhookSettings,
    private readonly unit: UnitOfWork,
  ) {}

  onModuleDestroy(): void {
    this.isStopping = true;
    if (this.timer) clearTimeout(this.timer);
  }

  /** @param dispatcher is woken for new deliveries, and has priority while it sends to healthy endpoints */
  subscribe(dispatcher: Dispatcher): void {
    this.dispatcher = dispatcher;
  }

  /** Schedules the fan-out to failing endpoints, with a delay that combines several events. */
  fanOutSoon(): void {
    if (this.isStopping) return;
    this.timer ??= setTimeout(() => this.fanOutNow(), this.settings.deferMs);
  }

  /** Fans out immediately, such as after a failing endpoint recovered. */
  fanOutNow(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    if (this.isRunning) this.isWantedAgain = true;
    else if (!this.isStopping)
      void this.unit.runOutside(() => runInRequestContext(makeWebhookContext(), () => this.fanOutUntilDone()));
  }

  /** Creates all remaining deliveries of an endpoint that is being disabled, in the open unit of work. */
  async fanOutRest({ id, organizationId }: { id: string; organizationId: string }): Promise<void> {
    await this.unit.runAsSystem('the deferred events of a webhook', () =>
      this.feed.fanOutDeferred([{ id, organizationId, works: true }], ALL),
    );
  }

  private async fanOutUntilDone(): Promise<void> {
    this.isRunning = true;
    try {
      do {
        this.isWantedAgain = false;
        await this.runRound();
      } while (this.isWantedAgain && !this.isStopping);
    } catch (error) {
      // The sweep retries.
      if (!isDatabaseOutage(error)) this.logger.warn(error, 'creating deferred deliveries failed and will be retried');
    } finally {
      this.isRunning = false;
    }
  }

  /** Processes each endpoint once; those that are still behind get another round. */
  private async runRound(): Promise<void> {
    for (let after: string | undefined = BEFORE_ALL; after && !this.isStopping;) {
      await this.waitForDeliveries();
      const begun = performance.now();
      after = await this.runStep(after);
      if (after) await sleep(REST_SHARE * (performance.now() - begun), undefined, { ref: false });
    }
  }

  private async waitForDeliveries(): Promise<void> {
    const end = performance.now() + MAX_WAIT_MS;
    while (this.dispatcher.isSending && !this.isStopping && performance.now() < end)
      await sleep(POLL_MS, undefined, { ref: false });
  }

  /** @returns the id of the last endpoint, if there may be more */
  private async runStep(after: string): Promise<string | undefined> {
    const endpoints = await this.unit.run(async () => {
      const locked = await this.feed.lockDeferred(after, ENDPOINTS);
      const { created, left } = await this.feed.fanOutDeferred(locked, EVENTS);
      if (created) this.unit.afterCommit(() => this.dispatcher.wake());
      if (left) this.isWantedAgain = true;
      return locked;
    });
    return endpoints.at(-1)?.id;
  }
}
