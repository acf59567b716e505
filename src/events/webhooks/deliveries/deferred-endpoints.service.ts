import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { isDatabaseOutage } from '../../../core/errors/database-outage.js';
import { runInRequestContext } from '../../../core/telemetry/request-context.js';
import { makeWebhookContext } from './webhook-context.js';
import { WebhookFeedStore } from './webhook-feed.store.js';
import { WebhookSettings } from './webhook-settings.js';

/** Endpoints of one step, and events of each: what others wait for at most. */
const ENDPOINTS = 25;
const EVENTS = 20;
/** Between two steps it rests for so many times as long as the last one took. */
const REST_SHARE = 2;
/** A step waits for deliveries that are on their way, at most so long, and looks so often. */
const MAX_WAIT_MS = 1_000;
const LOOK_MS = 10;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';
/** More than an organization has events. */
const ALL = 1e15;

interface Dispatcher {
  wake: () => void;
  readonly isSending: boolean;
}

/**
 * Gives endpoints that fail their events, behind those that work and in small steps: however many they are, no delivery to
 * another endpoint waits until theirs are made.
 */
@Injectable()
export class DeferredEndpointsService implements OnModuleDestroy {
  private readonly logger = new Logger('Webhooks');
  private timer: NodeJS.Timeout | null = null;
  private isGiving = false;
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

  /** @param dispatcher sends what endpoints were given, and goes first while it sends to those that work */
  subscribe(dispatcher: Dispatcher): void {
    this.dispatcher = dispatcher;
  }

  /** There are events for them: soon, so that several are given together. */
  giveSoon(): void {
    if (this.isStopping) return;
    this.timer ??= setTimeout(() => this.giveNow(), this.settings.deferMs);
  }

  /** An endpoint works again. */
  giveNow(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    if (this.isGiving) this.isWantedAgain = true;
    else if (!this.isStopping)
      void this.unit.runOutside(() => runInRequestContext(makeWebhookContext(), () => this.giveUntilDone()));
  }

  /** All that an endpoint was not given, when it is sent nothing any more; in a unit of work. */
  async giveRest({ id, organizationId }: { id: string; organizationId: string }): Promise<void> {
    await this.unit.runAsSystem('the deferred events of a webhook', () =>
      this.feed.giveDeferred([{ id, organizationId, works: true }], ALL),
    );
  }

  private async giveUntilDone(): Promise<void> {
    this.isGiving = true;
    try {
      do {
        this.isWantedAgain = false;
        await this.giveRound();
      } while (this.isWantedAgain && !this.isStopping);
    } catch (error) {
      // The sweep comes back to it.
      if (!isDatabaseOutage(error)) this.logger.warn(error, 'deferred events could not be given, trying again');
    } finally {
      this.isGiving = false;
    }
  }

  /** To each endpoint once; those that are still behind are given more in another round. */
  private async giveRound(): Promise<void> {
    for (let after: string | undefined = BEFORE_ALL; after && !this.isStopping;) {
      await this.waitForDeliveries();
      const begun = performance.now();
      after = await this.giveStep(after);
      if (after) await sleep(REST_SHARE * (performance.now() - begun), undefined, { ref: false });
    }
  }

  private async waitForDeliveries(): Promise<void> {
    const end = performance.now() + MAX_WAIT_MS;
    while (this.dispatcher.isSending && !this.isStopping && performance.now() < end)
      await sleep(LOOK_MS, undefined, { ref: false });
  }

  /** @returns the id to go on after, if there may be more */
  private async giveStep(after: string): Promise<string | undefined> {
    const endpoints = await this.unit.run(async () => {
      const locked = await this.feed.lockDeferred(after, ENDPOINTS);
      const { given, left } = await this.feed.giveDeferred(locked, EVENTS);
      if (given) this.unit.afterCommit(() => this.dispatcher.wake());
      if (left) this.isWantedAgain = true;
      return locked;
    });
    return endpoints.at(-1)?.id;
  }
}
