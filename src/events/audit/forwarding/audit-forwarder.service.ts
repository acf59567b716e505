import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { backoff } from '../../../core/backoff.js';
import { Env } from '../../../core/config/env.js';
import { isDatabaseOutage } from '../../../core/errors/database-outage.js';
import { JobsService } from '../../../jobs/jobs.service.js';
import { AuditEntriesStore } from '../audit-entries.store.js';
import { type AuditSender, CollectorBusy } from './audit-sender.js';
import { parseForwardTarget } from './forward-target.js';
import { ForwardingStore } from './forwarding.store.js';
import { OtlpSender } from './otlp.sender.js';
import { SyslogDatagramSender, SyslogStreamSender } from './syslog.sender.js';

const INTERVAL_MS = 5_000;
const INITIAL_PAUSE_MS = 1_000;
/** At most five minutes with jitter. */
const MAX_PAUSE_MS = 240_000;
/** The number of chains in one round. */
const MAX_CHAINS = 500;
/** The number of entries of a chain that are sent at once. */
const BATCH = 200;

/**
 * Forwards entries to the collector of AUDIT_FORWARD, in the order of each chain and at least once: the position of each chain is stored
 * in the database, and advances when the collector has accepted the entries. Runs in the background.
 */
@Injectable()
export class AuditForwarder implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger('Audit');
  private readonly sender?: AuditSender;
  private running?: Promise<void>;
  private failures = 0;
  private pausedUntil = 0;

  constructor(
    private readonly entries: AuditEntriesStore,
    private readonly positions: ForwardingStore,
    private readonly jobs: JobsService,
    env: Env,
  ) {
    if (env.AUDIT_FORWARD) this.sender = createSender(env.AUDIT_FORWARD);
  }

  onModuleInit(): void {
    if (this.sender) this.jobs.schedule('audit-forwarding', INTERVAL_MS, ({ signal }) => this.forward(signal));
  }

  beforeApplicationShutdown(): void {
    this.sender?.close();
  }

  /**
   * Forwards sealed entries. Concurrent calls share one run, so that entries stay in order. Failures cause an exponential back-off, during
   * which calls have no effect.
   */
  forward(signal: AbortSignal): Promise<void> {
    this.running ??= this.forwardAll(signal).finally(() => (this.running = undefined));
    return this.running;
  }

  private async forwardAll(signal: AbortSignal): Promise<void> {
    if (!this.sender || performance.now() < this.pausedUntil) return;
    try {
      while (await this.forwardRound(this.sender, signal));
      this.failures = 0;
    } catch (error) {
      if (signal.aborted || isDatabaseOutage(error)) throw error;
      const asked = error instanceof CollectorBusy ? Math.min(error.pauseMs, MAX_PAUSE_MS) : 0;
      const pause = Math.max(asked, backoff(++this.failures, INITIAL_PAUSE_MS, MAX_PAUSE_MS));
      this.pausedUntil = performance.now() + pause;
      const { message } = error as Error;
      this.logger.warn(`forwarding the audit failed and will be retried in ${Math.round(pause / 1000)} s: ${message}`);
    }
  }

  /** @returns whether entries were sent, and more may be waiting */
  private async forwardRound(sender: AuditSender, signal: AbortSignal): Promise<boolean> {
    const behind = await this.positions.findBehind(MAX_CHAINS);
    for (const { chain, sequence } of behind) {
      signal.throwIfAborted();
      const batch = await this.entries.readAfter(chain, sequence, BATCH);
      const last = batch.at(-1);
      if (!last) continue;
      const refused = await sender.send(batch, signal);
      if (refused) this.logger.warn(`the audit collector rejected entries of the chain ${chain}: ${refused}`);
      await this.positions.save(chain, last.sequence);
    }
    return behind.length > 0;
  }
}

function createSender(setting: string): AuditSender {
  const target = parseForwardTarget(setting);
  if (target.kind === 'otlp') return new OtlpSender(target.url);
  return target.transport === 'udp' ? new SyslogDatagramSender(target) : new SyslogStreamSender(target);
}
