import { Injectable } from '@nestjs/common';
import type { JobContext } from '../../jobs/job-handler.registry.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import type { ObjectReference } from '../../kubernetes/clusters/kubernetes-object.js';
import { type AppliedChange, changeKey, type ChangeJournal } from '../apply/applied-change.js';
import { Applier } from '../apply/applier.js';
import type { DeploymentResult, RunOptions } from '../apply/resource-result.js';
import { isUnmade } from '../apply/unmade-changes.js';
import { DeployedDesignsStore } from '../deployed-designs.store.js';
import type { Deployment } from '../deployment.entity.js';
import { KeptObjectsStore } from '../kept-objects.store.js';
import { toKeptObjects } from '../plan/kept-objects.js';
import type { Plan } from '../plan/plan.js';
import type { DesiredResource } from '../plan/planned-resource.js';
import { type StatefulSetClaim, StatefulSetClaims } from '../plan/stateful-set-claims.js';
import { ClusterPlansService } from '../plans/cluster-plans.service.js';
import { DeploymentContextService } from '../plans/deployment-context.service.js';
import { PlansStore } from '../plans/plans.store.js';

/** The cluster of a run and its recorded changes. */
export interface ClusterRun {
  connectionId: string;
  journal: ChangeJournal;
  signal: JobContext['signal'];
  onProgress: NonNullable<RunOptions['onProgress']>;
}

/** The outcome of a run on one cluster, with all its objects there on success. */
export type ClusterResult = DeploymentResult & { objects: ObjectReference[] };

/** Time limit in addition to the timeout of `wait`. */
const RUN_TIMEOUT_MS = 600_000;
const DEFAULT_WAIT_SECONDS = 300;

/** Deploys or rolls back to a version of a design on one cluster. */
@Injectable()
export class ClusterDeploymentsService {
  constructor(
    private readonly deployed: DeployedDesignsStore,
    private readonly kept: KeptObjectsStore,
    private readonly plans: PlansStore,
    private readonly clusterPlans: ClusterPlansService,
    private readonly work: DeploymentContextService,
  ) {}

  /** @throws AppError when the run cannot be started */
  async deploy(deployment: Deployment, resources: DesiredResource[], run: ClusterRun): Promise<ClusterResult> {
    const { connectionId, journal, signal, onProgress } = run;
    const cluster = await this.work.getClient(connectionId);
    const plan = await this.clusterPlans.plan(deployment, connectionId, resources, signal);
    const { plan_id, atomic, wait, timeout = DEFAULT_WAIT_SECONDS } = deployment.options;
    // After the first change, the cluster differs from the plan; the plan was checked before that change.
    if (plan_id && !hasBegun(plan, journal.changes)) await this.plans.assertUnchanged(plan_id, connectionId, plan);
    const before = await this.deployed.find(deployment, connectionId);
    const objects = plan.items.flatMap(({ desired, live, planned, isGenerated, isChartDefinition }) => {
      const isLabelled = !isGenerated && !isChartDefinition;
      const stays = desired ?? (planned.kept !== undefined && isLabelled ? live : undefined);
      return stays ? [toReference(stays)] : [];
    });
    await this.kept.save(deployment, connectionId, plan.unlabelled);
    // What a chart renders to may depend on its namespace, whatever its objects do.
    const namespace = plan.namespace ?? deployment.renderings[connectionId]?.namespace ?? null;
    await this.deployed.begin(deployment, connectionId, {
      objects: mergeReferences(before?.objects ?? [], objects),
      namespace,
    });
    const waitTimeoutMs = timeout * 1_000;
    const timeoutMs = RUN_TIMEOUT_MS + waitTimeoutMs;
    const options = {
      exact: plan_id !== undefined,
      atomic,
      wait,
      waitTimeoutMs,
      timeoutMs,
      run: deployment.id,
      signal,
      onProgress,
    };
    const result = await new Applier(cluster, journal).apply(plan, options);
    if (result.status === 'succeeded') await this.recordClaims(deployment, connectionId, plan);
    return { ...result, objects };
  }

  /**
   * Records the volume claims of new StatefulSets as soon as they are there, because only the set tells whose they are. The next
   * deployment records those that the cluster creates later.
   */
  private async recordClaims(deployment: Deployment, connectionId: string, plan: Plan): Promise<void> {
    const sets = plan.items.filter(({ desired, live }) => desired?.kind === 'StatefulSet' && !live);
    if (sets.length === 0) return;
    const known = new StatefulSetClaims(
      await this.work.getClient(connectionId),
      await this.kept.read(deployment, connectionId),
    );
    const claims: StatefulSetClaim[] = [];
    for (const { kind, desired } of sets)
      if (kind && desired) claims.push(...(await known.findByName(kind, desired.metadata).catch(ignoreClusterError)));
    const objects = toKeptObjects(claims.map(({ kind, object }) => ({ kind, live: object, isGenerated: true })));
    await this.kept.add(deployment, connectionId, objects);
  }
}

/** Whether an earlier attempt has made a change, and not only recorded it. */
function hasBegun({ items, owner }: Plan, changes: readonly AppliedChange[]): boolean {
  const live = new Map(
    items.flatMap(({ kind, planned: { name, namespace }, compared }) =>
      kind ? [[changeKey({ kind, name, namespace: namespace ?? undefined }), compared] as const] : [],
    ),
  );
  return changes.some((change) => !isUnmade(change, live.get(changeKey(change)), owner));
}

/** The deployment has succeeded, whether its claims can be listed or not. */
function ignoreClusterError(error: unknown): [] {
  if (error instanceof ClusterError) return [];
  throw error;
}

interface Named {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
}

const toReference = ({ apiVersion, kind, metadata: { name, namespace } }: Named): ObjectReference => ({
  apiVersion,
  kind,
  name,
  ...(namespace ? { namespace } : {}),
});

function mergeReferences(a: ObjectReference[], b: ObjectReference[]): ObjectReference[] {
  return [...new Map([...a, ...b].map((each) => [JSON.stringify(each), each])).values()];
}
