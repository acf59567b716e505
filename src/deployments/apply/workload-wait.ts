import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { boundedParallel } from '../plan/bounded-parallel.js';
import { type ResourceError } from '../plan/planned-resource.js';
import { getCompletion, getReadiness, type Readiness } from './readiness.js';
import { type RunClock, RunEnded } from './run-clock.js';
import { WorkloadPods } from './workload-pods.js';

export interface Workload {
  kind: ResourceKind;
  object: KubernetesObject;
  /** Whether to wait for completion, as for a job or a pod that performs a task. */
  endsByItself?: boolean;
}

/** Is notified of the progress of workloads. */
export interface WaitObserver<W extends Workload> {
  onWaiting: (workload: W, why: string) => Promise<void>;
  onReady: (workload: W) => Promise<void>;
}

/** The state of a workload that is not ready yet. */
interface OpenWorkload {
  detail: string;
  live?: KubernetesObject;
  /** The problem that its pods report. */
  trouble?: string;
  /** Since when it has been in a state that is not expected to end. */
  stuckSince?: number;
  isFinal: boolean;
}

const CONCURRENCY = 6;
/** Minimum interval between two checks of the pods; longer for many workloads. */
const POD_INTERVAL_MS = 2_000;
const POD_INTERVAL_PER_WORKLOAD_MS = 50;

/** Waits until workloads are ready, and finds out why one is not. */
export class WorkloadWait {
  private readonly pods: WorkloadPods;

  constructor(
    private readonly cluster: ClusterClient,
    private readonly clock: RunClock,
  ) {
    this.pods = new WorkloadPods(cluster);
  }

  /**
   * Waits until all workloads are ready, one has failed, or the timeout is reached.
   * @returns the errors of the failed workloads, else of those that are not ready; empty when all are ready
   * @throws ClusterError, RunEnded when the run is cancelled
   */
  async waitUntilReady<W extends Workload>(
    workloads: W[],
    withinMs: number,
    observer?: WaitObserver<W>,
  ): Promise<Map<W, ResourceError>> {
    const open = new Map(
      workloads.map((one): [W, OpenWorkload] => [one, { detail: 'it is not ready', isFinal: false }]),
    );
    let lookedAt = performance.now();
    try {
      await this.clock.poll(withinMs, async () => {
        await boundedParallel([...open], CONCURRENCY, async ([workload, state]) => {
          const before = describeOpen(state);
          await this.read(workload, state, open);
          if (!open.has(workload)) await observer?.onReady(workload);
          else if (describeOpen(state) !== before) await observer?.onWaiting(workload, describeOpen(state));
        });
        if (open.size === 0 || isAnyFinal(open)) return true;
        if (performance.now() - lookedAt < Math.max(POD_INTERVAL_MS, POD_INTERVAL_PER_WORKLOAD_MS * open.size))
          return undefined;
        await this.lookAtPods(open, observer);
        lookedAt = performance.now();
        return isAnyFinal(open) || undefined;
      });
    } catch (error) {
      if (!(error instanceof RunEnded) || error.why === 'cancelled') throw error;
    }
    const final = [...open].filter(([, { isFinal }]) => isFinal);
    const errors = await boundedParallel(
      final.length > 0 ? final : [...open],
      CONCURRENCY,
      async ([workload, state]) => {
        if (!state.trouble && state.live) state.trouble = (await this.pods.findFailure(state.live))?.detail;
        return [workload, toError(state)] as const;
      },
    );
    return new Map(errors);
  }

  private async read<W extends Workload>(workload: W, state: OpenWorkload, open: Map<W, OpenWorkload>): Promise<void> {
    const { object, endsByItself } = workload;
    const { name, namespace } = object.metadata;
    state.live = await this.cluster.lookup(workload.kind, name, namespace);
    const getState = endsByItself ? getCompletion : getReadiness;
    const readiness = state.live ? getState(state.live) : readinessOfDeleted(object);
    if (readiness.state === 'ready') open.delete(workload);
    else Object.assign(state, { detail: readiness.detail, isFinal: state.isFinal || readiness.state === 'failed' });
  }

  /** Ends the waiting when a workload has been in a stuck state for some time. */
  private async lookAtPods<W extends Workload>(open: Map<W, OpenWorkload>, observer?: WaitObserver<W>): Promise<void> {
    await boundedParallel([...open], CONCURRENCY, async ([workload, state]) => {
      if (!state.live) return;
      const before = describeOpen(state);
      const failure = await this.pods.findFailure(state.live);
      state.trouble = failure?.detail;
      if (failure?.finalAfterMs === undefined) state.stuckSince = undefined;
      else {
        state.stuckSince ??= performance.now();
        state.isFinal = performance.now() - state.stuckSince >= failure.finalAfterMs;
      }
      if (describeOpen(state) !== before) await observer?.onWaiting(workload, describeOpen(state));
    });
  }
}

/** A job with a TTL that no longer exists has completed. */
function readinessOfDeleted({ spec }: KubernetesObject): Readiness {
  const { ttlSecondsAfterFinished } = (spec ?? {}) as { ttlSecondsAfterFinished?: number };
  return ttlSecondsAfterFinished === undefined
    ? { state: 'failed', detail: 'it has been deleted' }
    : { state: 'ready' };
}

const isAnyFinal = (open: Map<unknown, OpenWorkload>): boolean => [...open.values()].some(({ isFinal }) => isFinal);

const describeOpen = ({ detail, trouble }: OpenWorkload): string => [detail, trouble].filter(Boolean).join('; ');

function toError(state: OpenWorkload): ResourceError {
  const detail = describeOpen(state);
  return { reason: /exceeded quota/.test(detail) ? 'QUOTA_EXCEEDED' : 'NOT_READY', detail };
}
