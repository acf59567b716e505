import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { backoff } from '../../core/backoff.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { AppError } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import type { DeployedDesign } from '../deployed-designs.store.js';
import type { Deployment } from '../deployment.entity.js';
import { DeploymentDrifted, DeploymentHealed } from '../deployment.events.js';
import { DeploymentsStore } from '../deployments.store.js';
import { DeploymentContextService } from '../plans/deployment-context.service.js';
import { DeployedDriftStore, type KnownDrift } from './deployed-drift.store.js';
import type { DriftStatus } from './deployed-drift.entity.js';
import { DriftComparison, type DriftedObject, type DriftResource, isDrifted } from './drift-comparison.js';

const SYSTEM = Actor.system('drift');
/** However slowly a cluster answers. */
const TIMEOUT_MS = 120_000;

/** In so long at most so many attempts to heal are made; then it stops, for something works against it. */
export const HEAL_WINDOW_MS = 600_000;
export const MAX_HEALS = 5;

/** What a comparison found at one destination. */
export interface DriftFinding {
  deployment: Deployment;
  status: DriftStatus;
  resources: DriftResource[];
  drifted: DriftedObject[];
  /** Why the cluster could not be compared with. */
  error: AppError | null;
  tookMs: number;
}

/** What is to be done about a finding: to heal it now, or to look again after a pause. */
export type DriftConsequence = { action: 'none' | 'heal' } | { action: 'wait'; ms: number };

/** Between two attempts to heal: whatever undoes them gets time to end, and no cluster is kept busy. */
const HEAL_PAUSE = { firstMs: 1_000, longestMs: 60_000 };
const NONE: DriftConsequence = { action: 'none' };

/** Compares what is deployed with what runs, stores the findings, and publishes changes of them. */
@Injectable()
export class DriftChecksService {
  constructor(
    private readonly deployments: DeploymentsStore,
    private readonly context: DeploymentContextService,
    private readonly drifts: DeployedDriftStore,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** Nothing is changed or kept by it. A cluster that cannot be worked with is the status unknown. */
  async compare(destination: DeployedDesign, signal?: AbortSignal): Promise<DriftFinding> {
    const deployment = await this.deployments.get(SYSTEM, destination.deploymentId);
    const startedAt = performance.now();
    const elapsed = (): { tookMs: number } => ({ tookMs: performance.now() - startedAt });
    try {
      const cluster = await this.context.getCallableClient(destination.connectionId);
      const owner = await this.context.getOwner(destination, destination.connectionId);
      const namespace = destination.namespace ?? (deployment.options.namespace || cluster.namespace || 'default');
      const deadline = AbortSignal.timeout(TIMEOUT_MS);
      const either = signal ? AbortSignal.any([signal, deadline]) : deadline;
      const comparison = new DriftComparison(cluster, { owner, namespace, objects: destination.objects }, either);
      const resources = await this.context.readResources(destination.designId, destination.designVersion);
      return { deployment, error: null, ...toFinding(await comparison.compare(resources)), ...elapsed() };
    } catch (error) {
      if (!isUnasked(error)) throw error;
      return { deployment, status: 'unknown', resources: [], drifted: [], error, ...elapsed() };
    }
  }

  /** Stores a finding, and publishes it when it has changed. */
  async record(destination: DeployedDesign, finding: DriftFinding): Promise<DriftConsequence> {
    const { deployment, status } = finding;
    return this.unit.run(async () => {
      const before = await this.drifts.lock(destination, HEAL_WINDOW_MS);
      const known = before?.deploymentId === destination.deploymentId ? before : null;
      // A cluster that was not reached gives no new finding; the check is recorded all the same, so that others come before it.
      const isStill = status === 'unknown' && known?.status === 'drifted';
      await this.drifts.save(destination, deployment, isStill ? 'drifted' : status, finding.tookMs);
      if (status === 'in_sync' && known?.status === 'drifted')
        await this.events.publish(
          new DeploymentHealed(SYSTEM, deployment, { connection_id: destination.connectionId }),
        );
      if (status !== 'drifted') return NONE;
      const canHeal = deployment.options.self_heal === true && finding.drifted.some(({ isHealable }) => isHealable);
      const isExhausted = canHeal && (known?.stopped || (known?.heals ?? 0) >= MAX_HEALS);
      const stops = isExhausted && !known?.stopped;
      if (stops) await this.drifts.stop(destination);
      if (known?.status !== 'drifted' || stops)
        await this.events.publish(new DeploymentDrifted(SYSTEM, deployment, describe(destination, finding, stops)));
      return canHeal && !isExhausted ? toConsequence(known) : NONE;
    });
  }

  /** Nothing stands there any more. */
  async remove(destination: Pick<DeployedDesign, 'designId' | 'connectionId' | 'environmentId'>): Promise<void> {
    await this.drifts.remove(destination);
  }
}

/** A cluster that did not answer, or that is not asked as long as its connection is set aside. */
const isUnasked = (error: unknown): error is AppError =>
  error instanceof ClusterError || (error instanceof AppError && error.code === 'ILLEGAL_STATUS');

const MAX_NAMED = 20;
/** The first attempt is made at once, each further one after a longer pause since the last, which is kept across restarts. */
function toConsequence(known: KnownDrift | null): DriftConsequence {
  const { heals = 0, healedForMs = null } = known ?? {};
  if (healedForMs === null) return { action: 'heal' };
  const ms = backoff(heals, HEAL_PAUSE.firstMs, HEAL_PAUSE.longestMs) - healedForMs;
  return ms > 0 ? { action: 'wait', ms } : { action: 'heal' };
}

function toFinding(found: {
  resources: DriftResource[];
  drifted: DriftedObject[];
}): Pick<DriftFinding, 'status' | 'resources' | 'drifted'> {
  const hasDrifted = found.resources.some(isDrifted);
  const isUnknown = found.resources.some(({ status }) => status === 'unknown');
  return { ...found, status: hasDrifted ? 'drifted' : isUnknown ? 'unknown' : 'in_sync' };
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
