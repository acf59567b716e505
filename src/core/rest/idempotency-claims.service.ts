import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { runAsSystem } from '../database/row-security.js';
import { isDatabaseOutage } from '../errors/database-outage.js';
import { currentRequest } from '../telemetry/request-context.js';
import {
  type IdempotencyClaim,
  IdempotencyKeysStore,
  type IdempotentRequest,
  LEASE_MS,
  type StoredResponse,
} from './idempotency-keys.store.js';

const RENEW_MS = LEASE_MS / 3;

/** A key that this process holds for a call. Its end is that of the call. */
export interface HeldClaim {
  /** What was answered before; null when the call is to be made. */
  earlier: StoredResponse | null;
  finish(answer: StoredResponse): Promise<void>;
  /** @param error why the call is to be made again under the key */
  remove(error?: unknown): Promise<void>;
}

/** The idempotency keys of the calls that this process serves: held for as long as they run, so that one which died holds none. */
@Injectable()
export class IdempotencyClaims implements OnModuleDestroy {
  private readonly logger = new Logger('Idempotency');
  private readonly held = new Set<IdempotencyClaim>();
  private timer?: NodeJS.Timeout;

  constructor(private readonly keys: IdempotencyKeysStore) {}

  onModuleDestroy(): void {
    clearTimeout(this.timer);
  }

  /** @throws what `IdempotencyKeysStore.claim` throws */
  async claim(call: IdempotentRequest): Promise<HeldClaim> {
    const claim = await this.keys.claim(call);
    const { earlier } = claim;
    const change = this.keys.changeStatement(claim);
    if (!earlier) {
      this.held.add(claim);
      this.renewLater();
      const request = currentRequest();
      if (request) request.withCommit = change;
    }
    const end = async (write: () => Promise<void>): Promise<void> => {
      change.isOver = true;
      await write().finally(() => this.held.delete(claim));
    };
    return {
      earlier,
      finish: (answer) => end(() => this.keys.finish(claim, answer)),
      // Whether a change was done whose answer the database did not give is known there alone.
      remove: (error) =>
        end(() => (isDatabaseOutage(error) ? this.keys.removeUnlessWritten(claim) : this.keys.remove(claim))),
    };
  }

  private renewLater(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      if (this.held.size === 0) return;
      this.renewLater();
      runAsSystem('the leases of idempotency keys', () => this.keys.renew([...this.held])).catch((error: unknown) => {
        if (!isDatabaseOutage(error)) this.logger.warn(error, 'idempotency keys could not be held, trying again');
      });
    }, RENEW_MS).unref();
  }
}
