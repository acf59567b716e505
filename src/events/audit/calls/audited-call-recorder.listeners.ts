import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Actor } from '../../../core/access/actor.js';
import { PerformedCalls } from '../../../core/authorization/audited-call.js';
import { type Refusal, Refusals } from '../../../core/authorization/refusals.js';
import { AuditedRequests } from '../../../core/database/audited-request.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { isDatabaseOutage } from '../../../core/errors/database-outage.js';
import { clientNetwork } from '../../../core/rest/client-network.js';
import { generateRequestId, runInRequestContext } from '../../../core/telemetry/request-context.js';
import { type LoggedCall, CallLog } from './call-log.js';
import { CallsStore } from './calls.store.js';

const INTERVAL_MS = 500;
const WINDOW_MS = 60_000;
const BATCH = 500;
const MAX_ACCOUNT_LENGTH = 255;

type RecordedCall = Omit<Refusal, 'error'> & { reason: string | null };

/** Records refusals, and calls that leave no other entry, in batches in the background, so that a refused request runs no additional statement. */
@Injectable()
export class AuditedCallRecorder implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger('Audit');
  private readonly log = new CallLog();
  private readonly timers: NodeJS.Timeout[] = [];
  private taken: LoggedCall[] = [];
  private writing?: Promise<void>;

  constructor(
    private readonly refusals: Refusals,
    private readonly calls: PerformedCalls,
    private readonly store: CallsStore,
    private readonly unit: UnitOfWork,
    private readonly requests: AuditedRequests,
  ) {}

  onModuleInit(): void {
    this.refusals.onRefused(({ error, ...call }) => this.add({ ...call, reason: error.code }));
    this.calls.onPerformed((call) => this.add({ ...call, reason: null }));
    this.timers.push(
      setInterval(() => void this.writePending(), INTERVAL_MS).unref(),
      setInterval(() => this.log.startWindow(), WINDOW_MS).unref(),
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await this.writePending(true);
  }

  /** Writes buffered calls, so that a following read sees them. Never throws. */
  async writePending(all = false): Promise<void> {
    await this.writing;
    this.writing = this.write(all)
      .catch((error: unknown) => this.logFailure(error))
      .finally(() => (this.writing = undefined));
    await this.writing;
  }

  private add({ reason, request, operation, ids, account }: RecordedCall): void {
    const { caller, origin, judged, onBehalfOf } = request;
    const who = caller?.userId ?? onBehalfOf ?? clientNetwork(origin?.address);
    this.log.add(who, {
      context: this.requests.describe(request),
      acting: caller?.userId ?? (request.actor?.isSystem ? 'system' : null),
      action: operation,
      reason,
      ...(judged ? { judged: { type: judged.type, id: judged.id, organizationId: judged.organizationId } } : {}),
      ids,
      ...(account !== undefined && account.length <= MAX_ACCOUNT_LENGTH ? { account } : {}),
      at: new Date(),
    });
  }

  /** Keeps a batch that failed in a database outage for the next call; the log continues to count meanwhile. */
  private async write(all: boolean): Promise<void> {
    if (this.taken.length === 0) this.taken = this.log.take(BATCH, all);
    if (this.taken.length === 0) return;
    const context = { requestId: generateRequestId(), actor: Actor.system('audit') };
    try {
      await this.unit.runOutside(() => runInRequestContext(context, () => this.store.insert(this.taken)));
      this.taken = [];
    } catch (error) {
      if (!isDatabaseOutage(error)) this.taken = [];
      throw error;
    }
  }

  private logFailure(error: unknown): void {
    if (!isDatabaseOutage(error)) this.logger.error(error, 'calls could not be written to the audit');
  }
}
