import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { backoff } from '../../core/backoff.js';
import type { ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { readDatabaseTime } from '../../core/database/database-time.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { DeployedDesignsStore } from '../deployed-designs.store.js';
import { isDefinition } from '../plan/definitions.js';
import { storeManagedFields } from '../plan/field-ownership.js';
import { FIELD_MANAGER } from '../plan/owner.js';
import { inKindOrder } from '../plan/kind-order.js';
import { DeploymentContextService } from '../plans/deployment-context.service.js';
import { DeployedDriftStore, type DriftKey } from './deployed-drift.store.js';
import type { DriftedObject } from './drift-comparison.js';
import { DriftChecksService, HEAL_WINDOW_MS } from './drift-checks.service.js';

export const DRIFT_QUEUE = 'deployment.drift';
export const HEAL_QUEUE = 'deployment.heal';
const SYSTEM = Actor.system('drift');

export interface DriftPayload extends DriftKey {
  organizationId: string;
  /** Consecutive checks in which the cluster could not be reached. */
  failures?: number;
}

/** Retries with back-off while a cluster cannot be reached; afterwards, the next change or periodic check triggers a new check. */
const RETRIES = { most: 6, firstMs: 2_000, longestMs: 60_000 };

/** Delay after a change, so that changes in quick succession cause one check. */
export const SETTLE_MS = 300;
/** Pause after a comparison before changes trigger the next: five times its duration, so that frequent changes do not fill the queue. */
const PAUSE = { factor: 5, mostMs: 60_000 };

/** Time after which a definition that was made again is served, and its kind is found. */
const DEFINED_MS = 6_000;

/** Attempts of a heal while controllers change its objects at the same time. */
const MAX_ATTEMPTS = 3;

/**
 * Checks for drift and applies drifted resources again, both in jobs, so that the work survives a restart. Nothing is applied while
 * the workspace or the environment is archived.
 */
@Injectable()
export class SelfHealingService {
  constructor(
    private readonly checks: DriftChecksService,
    private readonly deployed: DeployedDesignsStore,
    private readonly drifts: DeployedDriftStore,
    private readonly context: DeploymentContextService,
    private readonly jobs: JobsService,
    private readonly unit: UnitOfWork,
  ) {}

  /** Requests a check of destinations whose objects have changed. */
  async checkChanged(destinations: DriftPayload[]): Promise<void> {
    const pauses = await this.drifts.listPauses(destinations, PAUSE);
    await this.request(
      destinations.map((destination, index) => ({ ...destination, delayMs: Math.max(SETTLE_MS, pauses[index] ?? 0) })),
    );
  }

  /** Requests a check of these destinations. Repeated requests are merged into one job per destination. */
  async checkSoon(destinations: DriftPayload[], delayMs = 0): Promise<void> {
    await this.request(destinations.map((destination) => ({ ...destination, delayMs })));
  }

  private async request(destinations: (DriftPayload & { delayMs: number })[]): Promise<void> {
    const byKey = new Map(
      destinations.map((destination) => [
        `drift ${destination.designId} ${destination.environmentId} ${destination.connectionId}`,
        destination,
      ]),
    );
    if (byKey.size === 0) return;
    const now = await readDatabaseTime(this.unit.manager);
    await this.jobs.enqueueOnce(
      SYSTEM,
      [...byKey].map(([serialKey, destination]) => {
        const { organizationId, designId, environmentId, connectionId, failures = 0, delayMs } = destination;
        return {
          queue: DRIFT_QUEUE,
          payload: { organizationId, designId, environmentId, connectionId, failures } satisfies DriftPayload,
          organizationId,
          serialKey,
          runAt: new Date(now.getTime() + delayMs),
        };
      }),
    );
  }

  /** Skips a destination with a deployment in progress, which is checked when the deployment ends. */
  async check(payload: DriftPayload, signal: AbortSignal): Promise<void> {
    const destination = await this.deployed.find(payload, payload.connectionId);
    if (!destination) return this.checks.remove(payload);
    if (await this.deployed.isChanging(payload)) return;
    const finding = await this.checks.compare(destination, { signal, isBackground: true });
    // A deployment that started in the meantime triggers its own check.
    const now = await this.deployed.find(payload, payload.connectionId);
    if (now?.deploymentId !== destination.deploymentId || (await this.deployed.isChanging(payload))) return;
    const next = await this.checks.record(destination, finding);
    const failures = (payload.failures ?? 0) + 1;
    if (finding.error instanceof ClusterError && failures <= RETRIES.most)
      return this.checkSoon([{ ...payload, failures }], backoff(failures, RETRIES.firstMs, RETRIES.longestMs));
    if (next.action === 'wait') return this.checkSoon([payload], next.ms);
    if (next.action === 'none' || !(await this.deployed.isActive(destination))) return;
    const { designId, environmentId, organizationId } = payload;
    // The serial key of deployments prevents a concurrent deployment to the same destination.
    await this.jobs.enqueue(SYSTEM, {
      queue: HEAL_QUEUE,
      payload,
      organizationId,
      serialKey: `deployment ${designId} ${environmentId}`,
    });
  }

  /** Applies the drifted resources again, then requests another check. */
  async heal(payload: DriftPayload, signal: AbortSignal): Promise<void> {
    const destination = await this.deployed.find(payload, payload.connectionId);
    if (!destination || (await this.deployed.isChanging(payload))) return;
    const { deployment, drifted } = await this.checks.compare(destination, { signal });
    const healable = drifted.filter(({ isHealable }) => isHealable);
    if (deployment.options.self_heal !== true || healable.length === 0 || !(await this.deployed.isActive(destination)))
      return;
    await this.drifts.addHeal(payload, HEAL_WINDOW_MS);
    const cluster = await this.context.getCallableClient(destination.connectionId);
    let left = healable;
    for (let attempt = 0; attempt < MAX_ATTEMPTS && left.length > 0; attempt++) {
      let isOutdated = false;
      for (const one of inKindOrder(left, ({ kind }) => kind))
        await applyAgain(cluster, one, signal).catch((error: unknown) => {
          // The next check reports what is left; a refusal of one object does not stop the others.
          if (!(error instanceof ClusterError)) throw error;
          isOutdated ||= error.kind === 'conflict';
        });
      left = isOutdated
        ? (await this.checks.compare(destination, { signal })).drifted.filter((one) => one.isHealable)
        : [];
    }
    const hasDefined = healable.some(({ desired }) => isDefinition(desired));
    await this.checkSoon([payload], hasDefined ? DEFINED_MS : 0);
  }
}

/** Applies an object again, without the fields of others that are to be removed. @throws ClusterError `conflict` when it has changed */
export async function applyAgain(
  cluster: ClusterClient,
  { kind, desired, live, ownership }: Pick<DriftedObject, 'kind' | 'desired' | 'live' | 'ownership'>,
  signal: AbortSignal,
): Promise<void> {
  const owned = live && ownership && (await storeManagedFields(cluster, kind, live, ownership));
  const { resourceVersion } = owned?.metadata ?? {};
  // With its uid, an object that somebody else has created in its place since is a conflict.
  const { uid } = live?.metadata ?? {};
  const seen = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) };
  const wanted = { ...desired, metadata: { ...desired.metadata, ...seen } };
  await cluster.apply(kind, wanted, { fieldManager: FIELD_MANAGER, force: true, signal });
  if (isDefinition(desired)) cluster.invalidateKinds();
}
