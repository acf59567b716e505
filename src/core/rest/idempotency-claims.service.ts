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

/** The claim of a call on an idempotency key, held by this process. */
export interface HeldClaim {
  /** The stored response; null when the call has to run. */
  earlier: StoredResponse | null;
  finish(answer: StoredResponse): Promise<void>;
  /** @param error the failure after which the call may be retried under the key */
  remove(error?: unknown): Promise<void>;
}

/** Holds the idempotency keys of running calls and renews their leases, so that the keys of a process that died become free. */
@Injectable()
export class IdempotencyClaims implements OnModuleDestroy {
  private readonly logger = new Logger('Idempotency');
  private readonly held = new Set<IdempotencyClaim>();
  private timer?: NodeJS.Timeout;

  constructor(private readonly keys: IdempotencyKeysStore) {}

  onModuleDestroy(): void {
    clearTimeout(this.timer);
  }

  /** @throws the errors of `IdempotencyKeysStore.claim` */
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
      // After a lost response of the database, only the database knows whether the change was committed.
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
        if (!isDatabaseOutage(error))
          this.logger.warn(error, 'the leases of idempotency keys could not be renewed, trying again');
      });
    }, RENEW_MS).unref();
  }
}
