import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { isDatabaseOutage } from '../errors/database-outage.js';
import { LeaseKeeper, type LeaseWatch } from '../leases/lease-keeper.service.js';
import { currentRequest } from '../telemetry/request-context.js';
import {
  type IdempotencyClaim,
  IdempotencyKeysStore,
  type IdempotentRequest,
  LEASE_MS,
  type StoredResponse,
} from './idempotency-keys.store.js';

/** The claim of a call on an idempotency key, held by this process. */
export interface HeldClaim {
  /** The stored response; null when the call has to run. */
  earlier: StoredResponse | null;
  finish(answer: StoredResponse): Promise<void>;
  /** @param error the failure after which the call may be retried under the key */
  remove(error?: unknown): Promise<void>;
}

/** Holds the idempotency keys of running calls under leases, so that the keys of a process that died become free. */
@Injectable()
export class IdempotencyClaims implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly held = new Set<IdempotencyClaim>();
  private leases?: LeaseWatch;

  constructor(
    private readonly keys: IdempotencyKeysStore,
    private readonly keeper: LeaseKeeper,
  ) {}

  onApplicationBootstrap(): void {
    this.leases = this.keeper.watch<IdempotencyClaim>({
      table: 'idempotency_key',
      key: { caller: 'text', route: 'text', key: 'text', claim: 'uuid' },
      hasWorker: false,
      times: { leaseMs: LEASE_MS, heartbeatMs: LEASE_MS / 3 },
      listHeld: () => [...this.held],
      keyOf: ({ primaryKey, claim }) => [...primaryKey, claim],
    });
  }

  onModuleDestroy(): void {
    this.leases?.stop();
  }

  /** @throws the errors of `IdempotencyKeysStore.claim` */
  async claim(call: IdempotentRequest): Promise<HeldClaim> {
    const claim = await this.keys.claim(call);
    const { earlier } = claim;
    const change = this.keys.changeStatement(claim);
    if (!earlier) {
      this.held.add(claim);
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
}
