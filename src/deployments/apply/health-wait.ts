import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { boundedParallel } from '../../core/bounded-parallel.js';
import { isDeletedAfterEnd } from '../plan/deleted-after-end.js';
import { type ResourceError } from '../plan/planned-resource.js';
import { isOfKubernetes, judgeHealth } from '../../kubernetes/resources/health/health.js';
import { type Judgement } from '../../kubernetes/resources/health/health-status.js';
import { type RunClock, RunEnded } from './run-clock.js';
import { UnusedClaims } from './unused-claims.js';
import { WorkloadPods } from './workload-pods.js';

export interface AwaitedObject {
  kind: ResourceKind;
  object: KubernetesObject;
  /** Whether to wait until a pod has ended, as one that performs a task. */
  endsByItself?: boolean;
}

/** Is notified of the progress of the waiting. */
export interface WaitObserver<T extends AwaitedObject> {
  onWaiting: (awaited: T, why: string) => Promise<void>;
  /** @param outside what it still waits for, when no deployment brings that */
  onReady: (awaited: T, outside?: string) => Promise<void>;
}

/** The state of an object that is not ready yet. */
interface OpenState {
  detail: string;
  live?: KubernetesObject;
  /** The problem that its pods report. */
  trouble?: string;
  /** It waits for something that no deployment brings, such as the address of a load balancer. */
  isOutside?: boolean;
  /** Since when it has been in a state that is not expected to end. */
  stuckSince?: number;
  isFinal: boolean;
}

const CONCURRENCY = 6;
/** Minimum interval between two checks of the pods; longer for many. */
const POD_INTERVAL_MS = 2_000;
const POD_INTERVAL_PER_OBJECT_MS = 50;
/** Time in which the controller of a custom kind writes a first status. */
const FIRST_STATUS_MS = 3_000;

/** Waits until objects are healthy, or suspended, and finds out why one is not. */
export class HealthWait {
  private readonly pods: WorkloadPods;
  private startedAt = 0;

  constructor(
    private readonly cluster: ClusterClient,
    private readonly clock: RunClock,
  ) {
    this.pods = new WorkloadPods(cluster);
  }

  /**
   * Waits until all objects are ready, one has failed, or the timeout is reached.
   * @returns the errors of the failed objects, else of those that are not ready; empty when all are ready
   * @throws ClusterError, RunEnded when the run is cancelled
   */
  async waitUntilReady<T extends AwaitedObject>(
    objects: T[],
    withinMs: number,
    observer?: WaitObserver<T>,
  ): Promise<Map<T, ResourceError>> {
    const open = new Map(objects.map((one): [T, OpenState] => [one, { detail: 'It is not ready', isFinal: false }]));
    let lookedAt = (this.startedAt = performance.now());
    try {
      await this.clock.poll(withinMs, async () => {
        await boundedParallel([...open], CONCURRENCY, async ([awaited, state]) => {
          const before = describeOpen(state);
          await this.read(awaited, state, open);
          if (!open.has(awaited)) await observer?.onReady(awaited);
          else if (describeOpen(state) !== before) await observer?.onWaiting(awaited, describeOpen(state));
        });
        if (open.size === 0 || isAnyFinal(open) || isRestOutside(open)) return true;
        if (performance.now() - lookedAt < Math.max(POD_INTERVAL_MS, POD_INTERVAL_PER_OBJECT_MS * open.size))
          return undefined;
        await this.lookAtPods(open, observer);
        const rest = [...open.values()].filter(({ isOutside }) => !isOutside);
        if (rest.every(({ live }) => live?.kind === 'PersistentVolumeClaim')) await this.lookAtClaims(rest);
        lookedAt = performance.now();
        return isAnyFinal(open) || isRestOutside(open) || undefined;
      });
    } catch (error) {
      if (!(error instanceof RunEnded) || error.why === 'cancelled') throw error;
    }
    await this.lookAtClaims([...open.values()]);
    for (const [awaited, { isOutside, detail }] of [...open]) {
      if (!isOutside) continue;
      open.delete(awaited);
      await observer?.onReady(awaited, detail);
    }
    const final = [...open].filter(([, { isFinal }]) => isFinal);
    const errors = await boundedParallel(
      final.length > 0 ? final : [...open],
      CONCURRENCY,
      async ([awaited, state]) => {
        if (!state.trouble && state.live) state.trouble = (await this.pods.findFailure(state.live))?.detail;
        return [awaited, toError(state)] as const;
      },
    );
    return new Map(errors);
  }

  private async read<T extends AwaitedObject>(awaited: T, state: OpenState, open: Map<T, OpenState>): Promise<void> {
    const { object, kind } = awaited;
    const { name, namespace } = object.metadata;
    state.live = await this.cluster.lookup(kind, name, namespace);
    const judgement = state.live ? this.findHealth(awaited, state.live) : judgeDeleted(object);
    state.isOutside = judgement?.isOutside;
    if (isDone(judgement)) open.delete(awaited);
    else
      Object.assign(state, {
        detail: judgement?.message ?? judgement?.status,
        isFinal: state.isFinal || judgement?.isFinal,
      });
  }

  private findHealth({ kind, endsByItself }: AwaitedObject, live: KubernetesObject): Judgement | null {
    const { phase } = (live['status'] ?? {}) as { phase?: string };
    if (endsByItself && live.kind === 'Pod' && phase !== 'Succeeded' && phase !== 'Failed')
      return { status: 'Progressing', message: 'It has not ended yet' };
    const mayGetStatus = !isOfKubernetes(live.apiVersion) && kind.subresources.includes('status');
    if (mayGetStatus && live['status'] === undefined && performance.now() - this.startedAt < FIRST_STATUS_MS)
      return { status: 'Progressing', message: 'Its controller has not reported its state yet' };
    return judgeHealth(live);
  }

  /** Finds claims that nothing is going to bind. */
  private async lookAtClaims(states: OpenState[]): Promise<void> {
    const unused = new UnusedClaims(this.cluster);
    for (const state of states)
      if (state.live && (await unused.includes(state.live)))
        Object.assign(state, { isOutside: true, detail: 'No pod uses it, so that its class does not bind it yet' });
  }

  /** Ends the waiting when an object has been in a stuck state for some time. */
  private async lookAtPods<T extends AwaitedObject>(
    open: Map<T, OpenState>,
    observer?: WaitObserver<T>,
  ): Promise<void> {
    await boundedParallel([...open], CONCURRENCY, async ([awaited, state]) => {
      if (!state.live) return;
      const before = describeOpen(state);
      const failure = await this.pods.findFailure(state.live);
      state.trouble = failure?.detail;
      if (failure?.finalAfterMs === undefined) state.stuckSince = undefined;
      else {
        state.stuckSince ??= performance.now();
        state.isFinal = performance.now() - state.stuckSince >= failure.finalAfterMs;
      }
      if (describeOpen(state) !== before) await observer?.onWaiting(awaited, describeOpen(state));
    });
  }
}

const judgeDeleted = (object: KubernetesObject): Judgement =>
  isDeletedAfterEnd(object)
    ? { status: 'Healthy', message: null }
    : { status: 'Missing', message: 'It has been deleted', isFinal: true };

/** Whether there is nothing to wait for: what somebody has suspended is as it should be. */
const isDone = (judgement: Judgement | null): boolean =>
  judgement === null || judgement.status === 'Healthy' || (judgement.status === 'Suspended' && !judgement.isStuck);

/** Whether all that is left waits for something that no deployment brings. */
const isRestOutside = (open: Map<unknown, OpenState>): boolean =>
  open.size > 0 && [...open.values()].every(({ isOutside }) => isOutside);

const isAnyFinal = (open: Map<unknown, OpenState>): boolean => [...open.values()].some(({ isFinal }) => isFinal);

const describeOpen = ({ detail, trouble }: OpenState): string => [detail, trouble].filter(Boolean).join('; ');

function toError(state: OpenState): ResourceError {
  const detail = describeOpen(state);
  return { reason: /exceeded quota/.test(detail) ? 'QUOTA_EXCEEDED' : 'NOT_READY', detail };
}
