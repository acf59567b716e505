import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { boundedParallel } from '../../core/bounded-parallel.js';
import { isDefinition } from '../plan/definitions.js';
import { inKindOrder, splitByKind } from '../plan/kind-order.js';
import { type Plan } from '../plan/plan.js';
import { type PlanItem } from '../plan/plan-item.js';
import { plannedRemoval } from '../plan/prunes.js';
import { groupOf, type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { hasHealth } from '../../kubernetes/resources/health/health.js';
import { type AppliedChange, changeKey, type ChangeJournal } from './applied-change.js';
import { DeploymentRun, type Step } from './deployment-run.js';
import { HookRuns } from './hook-runs.js';
import { ResourceResults } from './results.js';
import { type DeploymentResult, type RunOptions } from './resource-result.js';
import { RunClock } from './run-clock.js';
import { ResourceFailed, toResourceError, type RunEnd } from './run-end.js';
import { runsPods } from './workload-pods.js';
import { HealthWait } from './health-wait.js';

export interface ApplyOptions extends RunOptions {
  /** Stops at the first failure, because the caller undoes all changes then. Default: false. */
  atomic?: boolean;
  /** Waits until all objects are healthy before it prunes. Default: false, and before hooks that follow for what runs pods only. */
  wait?: boolean;
  /** Timeout of `wait`, and of each hook. Default: 5 minutes. */
  waitTimeoutMs?: number;
  /** Ends when an object has moved since the plan, instead of deploying what the plan does not say. Default: false. */
  exact?: boolean;
  /** Identifies the deployment, so that a replica that resumes it does not run hooks again. */
  run?: string;
}

const DEFAULT_WAIT_MS = 300_000;

/** Number of resources of one kind that are applied concurrently. */
const CONCURRENCY = 6;

/** Executes plans on one cluster. */
export class Applier {
  constructor(
    private readonly cluster: ClusterClient,
    private readonly journal: ChangeJournal,
  ) {}

  /**
   * Creates and updates resources, then prunes, and completes what an earlier attempt has begun. With `atomic`, a plan with errors
   * is not started. Failures of the cluster are not thrown but returned in the result.
   * @throws JobAborted when another worker has taken over the job
   */
  async apply(plan: Plan, options: ApplyOptions = {}): Promise<DeploymentResult> {
    const { atomic = true } = options;
    const pruned = resumeItems(plan.items, this.journal.changes);
    const { before, after } = plan.hooks;
    const all = [...before, ...plan.items, ...after];
    const results = new ResourceResults([...all, ...pruned], options.onProgress, plan.secrets);
    for (const item of pruned) await results.set(item, { status: 'deleted' });
    const clock = new RunClock(options.timeoutMs ?? 600_000, options.signal);
    const run = new DeploymentRun(this.cluster, plan, clock, this.journal, options.exact);
    if (atomic && all.some(({ planned }) => planned.error)) {
      for (const item of all)
        if (item.planned.error) await results.set(item, { status: 'failed', error: item.planned.error });
      const { status, detail } = results.endOf(new ResourceFailed());
      return { status: 'failed', resources: results.all, failure: { status, detail } };
    }
    const failure = await this.execute(plan, run, results, clock, { ...options, atomic });
    await run.withdrawAnnounced();
    if (!failure) return { status: 'succeeded', resources: results.all };
    const { cancelled, status, detail, remedy } = failure;
    return { status: cancelled ? 'cancelled' : 'failed', resources: results.all, failure: { status, detail, remedy } };
  }

  private async execute(
    plan: Plan,
    run: DeploymentRun,
    results: ResourceResults,
    clock: RunClock,
    options: ApplyOptions,
  ): Promise<RunEnd | undefined> {
    const ordered = inKindOrder(plan.items, ({ planned }) => ({
      group: groupOf(planned.api_version),
      kind: planned.kind,
    }));
    const [wanted, leaving] = [
      ordered.filter(({ planned }) => planned.action !== 'prune' && planned.kept === undefined),
      ordered.filter(({ planned }) => planned.action === 'prune'),
    ];
    const isFirst = ({ planned }: PlanItem) =>
      planned.kind === 'Namespace' || isDefinition({ apiVersion: planned.api_version, kind: planned.kind });
    for (const item of ordered)
      if (item.planned.kept !== undefined) await results.set(item, { status: 'kept', message: item.planned.kept });
    const each = async (items: PlanItem[], work: (item: PlanItem) => Promise<Step>) => {
      for (const alike of splitByKind(items, kindOf))
        await boundedParallel(alike, CONCURRENCY, async (item) => {
          clock.check();
          await carryOut(item, work, results);
          if (options.atomic && results.has(item, 'failed')) throw new ResourceFailed();
        });
    };
    const hooks = new HookRuns(this.cluster, plan.owner, clock, this.journal, results, {
      run: options.run ?? '',
      timeoutMs: options.waitTimeoutMs ?? DEFAULT_WAIT_MS,
    });
    try {
      await each(wanted.filter(isFirst), (item) => run.apply(item));
      await each(
        wanted.filter((item) => isFirst(item) && results.has(item, 'applied')),
        async (item) => toStep(await run.waitUntilEstablished(item)),
      );
      await hooks.run(plan.hooks.before);
      const rest = wanted.filter((item) => !isFirst(item));
      await run.announce(rest);
      await each(rest, (item) => run.apply(item));
      if (options.wait || plan.hooks.after.length > 0) await this.waitUntilReady(wanted, results, clock, options);
      if (!results.anyFailed) await each(leaving.reverse(), (item) => run.prune(item));
      if (results.anyFailed) throw new ResourceFailed();
      await hooks.run(plan.hooks.after);
      return undefined;
    } catch (error) {
      return results.endOf(error);
    }
  }

  private async waitUntilReady(
    wanted: PlanItem[],
    results: ResourceResults,
    clock: RunClock,
    options: ApplyOptions,
  ): Promise<void> {
    const isWaitedFor = ({ apiVersion, kind }: KubernetesObject) =>
      options.wait ? hasHealth(apiVersion, kind) : runsPods({ apiVersion, kind });
    const workloads = wanted.flatMap((item) => {
      const { kind, desired, planned, live } = item;
      // An unchanged object that is not on the cluster was deleted after its end.
      const hasRun = planned.action === 'unchanged' && live === undefined;
      const isApplied = results.has(item, 'applied') || results.has(item, 'unchanged');
      return kind && desired && isApplied && !hasRun && isWaitedFor(desired) ? { kind, object: desired, item } : [];
    });
    const before = new Map(workloads.map(({ item }) => [item, results.has(item, 'unchanged')]));
    const errors = await new HealthWait(this.cluster, clock).waitUntilReady(
      workloads,
      options.waitTimeoutMs ?? DEFAULT_WAIT_MS,
      {
        onWaiting: ({ item }, message) => results.set(item, { status: 'waiting', message }),
        onReady: ({ item }, message) =>
          results.set(item, { status: before.get(item) ? 'unchanged' : 'ready', message }),
      },
    );
    for (const [{ item }, error] of errors) await results.set(item, { status: 'failed', error });
    if (errors.size > 0 && options.atomic) throw new ResourceFailed();
  }
}

/** @throws the error that ends the run, after setting it as the result of the resource */
async function carryOut(
  item: PlanItem,
  work: (item: PlanItem) => Promise<Step>,
  results: ResourceResults,
): Promise<void> {
  try {
    await results.set(item, await work(item));
  } catch (error) {
    await results.set(item, { status: 'failed', error: toResourceError(results.endOf(error)) });
    throw error;
  }
}

/**
 * Adjusts the plan of a later attempt so that it describes the whole deployment: resources that earlier attempts created or updated
 * are not reported as unchanged.
 * @returns additional items for objects that have been pruned already
 */
function resumeItems(items: PlanItem[], changes: readonly AppliedChange[]): PlanItem[] {
  const recorded = new Map(changes.filter(({ hook }) => !hook).map((change) => [changeKey(change), change]));
  for (const { kind, planned } of items) {
    const change =
      kind && recorded.get(changeKey({ kind, name: planned.name, namespace: planned.namespace ?? undefined }));
    if (!change || change.action === 'delete') continue;
    planned.action = change.action === 'replace' ? 'update' : change.action;
    recorded.delete(changeKey(change));
  }
  return [...recorded.values()]
    .filter(({ action }) => action === 'prune')
    .map(({ kind, name, namespace }) => ({ planned: plannedRemoval('prune', kind, { name, namespace }) }));
}

const kindOf = ({ planned }: PlanItem) => ({ apiVersion: planned.api_version, kind: planned.kind });

function toStep(error: Step['error']): Step {
  return error ? { status: 'failed', error } : { status: 'applied' };
}
