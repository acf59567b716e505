import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { isDefinition } from '../plan/definitions.js';
import { inKindOrder } from '../plan/kind-order.js';
import { type Plan, type PlanItem } from '../plan/plan.js';
import { groupOf } from '../../kubernetes/clusters/kubernetes-object.js';
import { DeploymentRun, type Step } from './deployment-run.js';
import { becomesReady } from './readiness.js';
import { Results } from './results.js';
import { type DeploymentResult, type RunOptions } from './resource-result.js';
import { RunClock } from './run-clock.js';
import { Refused, resourceErrorOf, type RunEnd, runEnd } from './run-end.js';
import { TakeBack } from './take-back.js';
import { WorkloadWait } from './workload-wait.js';

export interface ApplyOptions extends RunOptions {
  /** On failure or cancellation, all that was done is taken back. True without it. */
  atomic?: boolean;
  /** Waits until workloads are ready before anything is pruned. False without it. */
  wait?: boolean;
  /** For that waiting; 5 minutes without it. */
  waitTimeoutMs?: number;
  /** For taking back; 3 minutes without it. */
  takeBackTimeoutMs?: number;
}

/** Carries out plans on one cluster. */
export class Applier {
  constructor(private readonly cluster: ClusterClient) {}

  /**
   * Applies what the plan creates or updates, then prunes. A plan with errors is not begun when `atomic`.
   * It does not throw for what a cluster does: every failure is in the result.
   */
  async apply(plan: Plan, options: ApplyOptions = {}): Promise<DeploymentResult> {
    const { atomic = true } = options;
    const results = new Results(plan.items, options.onProgress);
    const clock = new RunClock(options.timeoutMs ?? 600_000, options.signal);
    const run = new DeploymentRun(this.cluster, plan, clock);
    if (atomic && plan.items.some(({ planned }) => planned.error)) {
      for (const item of plan.items)
        if (item.planned.error) await results.set(item, { status: 'failed', error: item.planned.error });
      return { status: 'failed', resources: results.all, failure: { status: 422, detail: results.summary() } };
    }
    const failure = await this.carryOut(plan, run, results, clock, { ...options, atomic });
    if (!failure) return { status: 'succeeded', resources: results.all };
    const { cancelled, status, detail } = failure;
    const back = new TakeBack(this.cluster, plan.owner, new RunClock(options.takeBackTimeoutMs ?? 180_000));
    const clean = atomic && (await this.takeBack(back, run, results));
    return {
      status: cancelled ? 'cancelled' : clean ? 'rolled_back' : 'failed',
      resources: results.all,
      failure: { status, detail },
    };
  }

  private async carryOut(
    plan: Plan,
    run: DeploymentRun,
    results: Results,
    clock: RunClock,
    options: ApplyOptions,
  ): Promise<RunEnd | undefined> {
    const ordered = inKindOrder(plan.items, ({ planned }) => ({
      group: groupOf(planned.api_version),
      kind: planned.kind,
    }));
    const [wanted, leaving] = [
      ordered.filter(({ planned }) => planned.action !== 'prune'),
      ordered.filter(({ planned }) => planned.action === 'prune'),
    ];
    const isFirst = ({ planned }: PlanItem) =>
      planned.kind === 'Namespace' || isDefinition({ apiVersion: planned.api_version, kind: planned.kind });
    let current: PlanItem | undefined;
    const each = async (items: PlanItem[], work: (item: PlanItem) => Promise<Step>) => {
      for (const item of items) {
        clock.check();
        current = item;
        await results.set(item, await work(item));
        current = undefined;
        if (options.atomic && results.has(item, 'failed')) throw new Refused();
      }
    };
    try {
      await each(wanted.filter(isFirst), (item) => run.apply(item));
      await each(
        wanted.filter((item) => isFirst(item) && results.has(item, 'applied')),
        async (item) => step(await run.established(item)),
      );
      await each(
        wanted.filter((item) => !isFirst(item)),
        (item) => run.apply(item),
      );
      if (options.wait) await this.wait(wanted, results, clock, options);
      if (!results.anyFailed) await each(leaving.reverse(), (item) => run.prune(item));
      if (results.anyFailed) throw new Refused();
      return undefined;
    } catch (error) {
      const ended = runEnd(error, () => results.summary());
      if (current && !(error instanceof Refused)) {
        await results.set(current, { status: 'failed', error: resourceErrorOf(ended) });
      }
      return ended;
    }
  }

  private async wait(wanted: PlanItem[], results: Results, clock: RunClock, options: ApplyOptions): Promise<void> {
    const workloads = wanted.flatMap((item) => {
      const { kind, desired } = item;
      const stands = results.has(item, 'applied') || results.has(item, 'unchanged');
      return kind && desired && stands && becomesReady(desired) ? { kind, object: desired, item } : [];
    });
    const errors = await new WorkloadWait(this.cluster, clock).ready(workloads, options.waitTimeoutMs ?? 300_000);
    for (const workload of workloads) {
      const error = errors.get(workload);
      if (error) await results.set(workload.item, { status: 'failed', error });
    }
    if (errors.size > 0 && options.atomic) throw new Refused();
  }

  /** Whether all was taken back. What failed keeps its error; what could not be undone gets one. */
  private async takeBack(back: TakeBack, run: DeploymentRun, results: Results): Promise<boolean> {
    let clean = true;
    for (const { item, deed } of [...run.deeds].reverse()) {
      const error = await back.undo(deed);
      if (error) clean = false;
      if (error)
        await results.set(item, { status: results.has(item, 'failed') ? 'failed' : results.statusOf(item), error });
      else if (!results.has(item, 'failed')) await results.set(item, { status: 'rolled_back' });
    }
    this.cluster.invalidate();
    return clean;
  }
}

function step(error: Step['error']): Step {
  return error ? { status: 'failed', error } : { status: 'applied' };
}
