import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { backoff } from '../../core/backoff.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { AppError } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { DriftMode } from '../../environments/environment.entity.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { BusyClusters } from '../busy-clusters.js';
import type { DeployedDesign } from '../deployed-designs.store.js';
import type { Deployment } from '../deployment.entity.js';
import { DeploymentDrifted, DeploymentHealed } from '../deployment.events.js';
import { DeploymentsStore } from '../deployments.store.js';
import { SealedValuesLookup } from '../plans/sealed-values-lookup.service.js';
import { DeploymentContextService } from '../plans/deployment-context.service.js';
import { DesignSecretsService } from '../design-secrets.service.js';
import { DeployedDriftStore, type KnownDrift } from './deployed-drift.store.js';
import type { DriftStatus } from './deployed-drift.entity.js';
import { DriftComparison, type DriftedObject, type DriftResource, isDrifted } from './drift-comparison.js';

const SYSTEM = Actor.system('drift');
/** Timeout of a comparison. */
const TIMEOUT_MS = 120_000;
/** How much of it a comparison in the background leaves to deployments. */
const YIELDED_MS = 60_000;

/** Time window that limits heals; when too many are needed, another writer undoes them, and healing stops. */
export const HEAL_WINDOW_MS = 600_000;
export const MAX_HEALS = 5;

/** The result of a comparison at one destination. */
export interface DriftFinding {
  deployment: Deployment;
  status: DriftStatus;
  resources: DriftResource[];
  drifted: DriftedObject[];
  /** Identifies the objects and fields that have drifted, whatever their values; null while nothing has. */
  fieldsDigest: string | null;
  /** Why the comparison failed. */
  error: AppError | null;
  tookMs: number;
}

/** The action after a comparison: none, heal now, or check again after a pause. */
export type DriftAction = { action: 'none' | 'heal' } | { action: 'wait'; ms: number };

/** Pause between two heals, so that a conflict with another writer does not load the cluster. */
const HEAL_PAUSE = { firstMs: 1_000, longestMs: 60_000 };
const NONE: DriftAction = { action: 'none' };

/** Compares deployed designs with the live state, stores the results, and publishes changes of them. */
@Injectable()
export class DriftChecksService {
  constructor(
    private readonly deployments: DeploymentsStore,
    private readonly context: DeploymentContextService,
    private readonly drifts: DeployedDriftStore,
    private readonly secrets: DesignSecretsService,
    private readonly busy: BusyClusters,
    private readonly sealedValues: SealedValuesLookup,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /**
   * Compares without changing or storing anything. If the cluster cannot be used, the status is `unknown`.
   * @param options.isBackground nobody waits for it: it yields to deployments on the cluster
   */
  async compare(
    destination: DeployedDesign,
    { signal, isBackground }: { signal?: AbortSignal; isBackground?: boolean } = {},
  ): Promise<DriftFinding> {
    const deployment = await this.deployments.get(SYSTEM, destination.deploymentId);
    const startedAt = performance.now();
    const elapsed = (): { tookMs: number } => ({ tookMs: performance.now() - startedAt });
    try {
      const cluster = await this.context.getCallableClient(destination.connectionId);
      const owner = await this.context.getOwner(destination, destination.connectionId);
      const namespace = destination.namespace ?? (deployment.options.namespace || cluster.namespace || 'default');
      const deadline = AbortSignal.timeout(TIMEOUT_MS);
      const either = signal ? AbortSignal.any([signal, deadline]) : deadline;
      const mode = deployment.options.drift ?? (await this.drifts.findMode(destination.environmentId));
      const sealedValues = this.sealedValues.create(deployment, destination.connectionId, cluster);
      const applied = { owner, namespace, objects: destination.objects, mode, sealedValues };
      const pace = isBackground ? this.busy.yieldTo(destination.connectionId, YIELDED_MS, either) : undefined;
      const comparison = new DriftComparison(cluster, applied, either, pace);
      const resources = await this.context.readResources(destination.designId, destination.designVersion);
      return { deployment, error: null, ...toFinding(await comparison.compare(resources), mode), ...elapsed() };
    } catch (thrown) {
      const error = await this.secrets.hideInError(thrown, destination, []);
      if (!isUnreached(error)) throw error;
      return { deployment, status: 'unknown', resources: [], drifted: [], fieldsDigest: null, error, ...elapsed() };
    }
  }

  /** Stores a result, and publishes an event when the status has changed. */
  async record(destination: DeployedDesign, finding: DriftFinding): Promise<DriftAction> {
    const { deployment, status } = finding;
    return this.unit.run(async () => {
      const before = await this.drifts.lock(destination, HEAL_WINDOW_MS);
      const known = before?.deploymentId === destination.deploymentId ? before : null;
      // If the cluster was not reached, the previous status remains; the time of the check is stored so that other designs come
      // first.
      const isStill = status === 'unknown' && known?.status === 'drifted';
      const fieldsDigest = isStill ? (known?.fieldsDigest ?? null) : finding.fieldsDigest;
      const found = { status: isStill ? 'drifted' : status, fieldsDigest, tookMs: finding.tookMs } as const;
      await this.drifts.save(destination, deployment, found);
      if (status === 'in_sync' && known?.status === 'drifted')
        await this.events.publish(
          new DeploymentHealed(SYSTEM, deployment, { connection_id: destination.connectionId }),
        );
      if (status !== 'drifted') return NONE;
      const canHeal = deployment.options.self_heal === true && finding.drifted.some(({ isHealable }) => isHealable);
      const isExhausted = canHeal && (known?.stopped || (known?.heals ?? 0) >= MAX_HEALS);
      const stops = isExhausted && !known?.stopped;
      if (stops) await this.drifts.stop(destination);
      const hasChanged = known?.status !== 'drifted' || known.fieldsDigest !== fieldsDigest;
      if (hasChanged || stops)
        await this.events.publish(new DeploymentDrifted(SYSTEM, deployment, describe(destination, finding, stops)));
      return canHeal && !isExhausted ? toDriftAction(known) : NONE;
    });
  }

  /** Deletes the result after the design was undeployed. */
  async remove(destination: Pick<DeployedDesign, 'designId' | 'connectionId' | 'environmentId'>): Promise<void> {
    await this.drifts.remove(destination);
  }
}

/** A cluster that did not respond, or that must not be called because of the status of its connection. */
const isUnreached = (error: unknown): error is AppError =>
  error instanceof ClusterError || (error instanceof AppError && error.code === 'ILLEGAL_STATUS');

function digestDrift(drifted: DriftResource[], mode: DriftMode): string {
  const fields = drifted.map(({ api_version, kind, namespace, name, status, changes, extra }) => [
    ...[api_version, kind, namespace, name, status],
    [...changes, ...(mode === 'strict' ? extra : [])].map(({ pointer }) => pointer).sort(),
  ]);
  return createHash('sha256').update(JSON.stringify(fields)).digest('base64url');
}

const MAX_NAMED = 20;
/** The first heal is made at once, later ones after increasing pauses. The pauses survive a restart. */
function toDriftAction(known: KnownDrift | null): DriftAction {
  const { heals = 0, healedForMs = null } = known ?? {};
  if (healedForMs === null) return { action: 'heal' };
  const ms = backoff(heals, HEAL_PAUSE.firstMs, HEAL_PAUSE.longestMs) - healedForMs;
  return ms > 0 ? { action: 'wait', ms } : { action: 'heal' };
}

function toFinding(
  found: Pick<DriftFinding, 'resources' | 'drifted'>,
  mode: DriftMode,
): Pick<DriftFinding, 'status' | 'resources' | 'drifted' | 'fieldsDigest'> {
  const hasDrifted = found.resources.some(isDrifted);
  const isUnknown = found.resources.some(({ status }) => status === 'unknown');
  const fieldsDigest = hasDrifted ? digestDrift(found.resources.filter(isDrifted), mode) : null;
  return { ...found, fieldsDigest, status: hasDrifted ? 'drifted' : isUnknown ? 'unknown' : 'in_sync' };
}

function describe(destination: DeployedDesign, { resources }: DriftFinding, stops: boolean): Record<string, unknown> {
  const drifted = resources.filter(isDrifted);
  return {
    connection_id: destination.connectionId,
    count: drifted.length,
    resources: drifted
      .slice(0, MAX_NAMED)
      .map(({ kind, namespace, name, status }) => ({ kind, namespace, name, status })),
    ...(stops && {
      self_heal: 'stopped',
      reason: `it was applied ${MAX_HEALS} times in ${HEAL_WINDOW_MS / 60_000} minutes and drifted again each time`,
    }),
  };
}
