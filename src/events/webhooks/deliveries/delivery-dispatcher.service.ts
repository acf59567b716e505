import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { setMaxListeners } from 'node:events';
import { isDatabaseOutage } from '../../../core/errors/database-outage.js';
import { runInRequestContext } from '../../../core/telemetry/request-context.js';
import { JobSettings } from '../../../jobs/job-settings.js';
import { LeaseKeeper, type LeaseWatch } from '../../../core/leases/lease-keeper.service.js';
import { Lease } from '../../../core/leases/lease.js';
import { WakeSignal } from '../../../jobs/wake-signal.js';
import { WorkerPresence } from '../../../core/leases/worker-presence.js';
import { DeliveryRunner, type EndpointWork } from './delivery.runner.js';
import { EndpointQueueStore, type EndedTurn } from './endpoint-queue.store.js';
import { EndpointTurn } from './endpoint-turn.js';
import { makeWebhookContext } from './webhook-context.js';
import { WebhookSettings } from './webhook-settings.js';

/** The maximum number of endpoints claimed at once, because each loads deliveries into memory. */
const MOST_CLAIMED = 64;
/** The maximum number of endpoints that wait for a response without a slot. */
const MAX_WITHOUT_SLOT = 1_000;
/** The minimum delay before an endpoint without due deliveries is claimed again. */
const REST_MS = 1_000;

/**
 * Claims due endpoints in batches, loads their deliveries, sends them and releases the endpoints. An endpoint is claimed by one process
 * at a time. Failing and slow endpoints have separate slots.
 */
@Injectable()
export class DeliveryDispatcher implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger('Webhooks');
  private readonly signal = new WakeSignal();
  private readonly aborter = new AbortController();
  private readonly turns = new Map<string, EndpointTurn>();
  private ended: EndedTurn[] = [];
  private loop: Promise<void> = Promise.resolve();
  private leases: LeaseWatch | null = null;
  private stoppedAt: number | null = null;

  constructor(
    private readonly queue: EndpointQueueStore,
    private readonly runner: DeliveryRunner,
    private readonly presence: WorkerPresence,
    private readonly settings: WebhookSettings,
    private readonly jobSettings: JobSettings,
    private readonly keeper: LeaseKeeper,
  ) {
    setMaxListeners(0, this.aborter.signal);
  }

  onApplicationBootstrap(): void {
    this.loop = runInRequestContext(makeWebhookContext(), () => this.dispatch());
    this.leases = this.keeper.watch<EndpointTurn>({
      table: 'webhook_queue',
      key: { webhook_id: 'uuid' },
      hasWorker: true,
      times: this.jobSettings,
      listHeld: () => [...this.turns.values()],
      keyOf: ({ webhookId }) => [webhookId],
      lose: (turn) => turn.end(),
      takeOver: async () => (await this.queue.releaseExpired(this.presence.id)) > 0 && this.wake(),
    });
  }

  /** Stops starting deliveries; running ones continue while the jobs of this process finish. */
  onModuleDestroy(): void {
    this.stoppedAt = performance.now();
    for (const turn of this.turns.values()) turn.end();
    this.signal.notify();
  }

  async beforeApplicationShutdown(): Promise<void> {
    const left = (this.stoppedAt ?? 0) + this.jobSettings.drainMs - performance.now();
    const patience = new AbortController();
    const giveUp = async (): Promise<void> => {
      await sleep(Math.max(0, left), undefined, patience);
      this.aborter.abort();
      await sleep(this.jobSettings.graceMs, undefined, patience);
    };
    await Promise.race([this.loop, giveUp().catch(() => undefined)]);
    patience.abort();
    this.leases?.stop();
  }

  /** Claims endpoints that are due now. */
  wake(): void {
    this.signal.notify();
  }

  /** Whether deliveries to healthy endpoints are being sent. */
  get isSending(): boolean {
    return [...this.turns.values()].some((turn) => turn.holdsSlot && !turn.slow);
  }

  private get isStopping(): boolean {
    return this.stoppedAt !== null;
  }

  private async dispatch(): Promise<void> {
    while (!this.isStopping || this.turns.size > 0 || this.ended.length > 0)
      try {
        const nextMs = await this.releaseEnded();
        const claimed = this.isStopping ? 0 : await this.claim();
        if (claimed === 0 && this.ended.length === 0)
          await this.signal.wait(Math.min(nextMs ?? Infinity, this.jobSettings.pollMs));
      } catch (error) {
        if (this.isStopping && this.turns.size === 0) return;
        if (!isDatabaseOutage(error)) this.logger.warn(error, 'claiming endpoints failed and will be retried');
        await sleep(this.jobSettings.pollMs, undefined, { ref: false });
      }
  }

  private async releaseEnded(): Promise<number | null> {
    if (this.ended.length === 0) return null;
    const ended = [...this.ended];
    const nextMs = await this.queue.release(this.presence.id, ended);
    this.ended = this.ended.slice(ended.length);
    return nextMs;
  }

  private async claim(): Promise<number> {
    const room = this.findCapacity();
    if (room.quick + room.slow === 0) return 0;
    const now = performance.now();
    const claimed = await this.queue.claim(this.presence.id, room, this.jobSettings.leaseMs);
    const turns = claimed.map(({ id, slow }) => {
      const lease = new Lease(now, this.jobSettings.leaseMs);
      return new EndpointTurn(id, slow, lease, now + this.settings.turnMs, this.aborter.signal, () =>
        this.mayReleaseSlot(),
      );
    });
    for (const turn of turns) this.turns.set(turn.webhookId, turn);
    // Separate loads, so that healthy endpoints do not wait for slow ones.
    for (const slow of [false, true])
      void this.runTurns(
        turns.filter((turn) => turn.slow === slow),
        slow,
      );
    return claimed.length;
  }

  /** Never throws. */
  private async runTurns(turns: EndpointTurn[], slow: boolean): Promise<void> {
    if (turns.length === 0) return;
    const works = await this.runner.load(turns, slow);
    await Promise.all(
      turns.map(async (turn) => {
        const work = works.get(turn.webhookId);
        if (work) await this.send(work, turn);
        this.turns.delete(turn.webhookId);
        this.ended.push({ id: turn.webhookId, restMs: work ? 0 : REST_MS });
        this.wake();
      }),
    );
  }

  /** Sends the work, and continues with further due deliveries while slots are free. */
  private async send(work: EndpointWork, turn: EndpointTurn): Promise<void> {
    for (let next: EndpointWork | undefined = work; next;) {
      await this.runner.send(next, turn);
      const canContinue: boolean = next.more && !turn.slow && turn.canContinue && this.findCapacity().quick > 0;
      next = canContinue ? (await this.runner.load([turn], false)).get(turn.webhookId) : undefined;
    }
  }

  private findCapacity(): { quick: number; slow: number } {
    const held = (slow: boolean): number =>
      [...this.turns.values()].filter((turn) => turn.holdsSlot && turn.slow === slow).length;
    const room = (slow: boolean): number => Math.min(MOST_CLAIMED, Math.max(0, this.settings.slots - held(slow)));
    return { quick: room(false), slow: room(true) };
  }

  /** Limits the number of endpoints that wait without a slot; beyond it, hanging endpoints keep their slots. */
  private mayReleaseSlot(): boolean {
    const without = [...this.turns.values()].filter(({ holdsSlot }) => !holdsSlot).length;
    if (without < MAX_WITHOUT_SLOT) setImmediate(() => this.wake());
    return without < MAX_WITHOUT_SLOT;
  }
}
