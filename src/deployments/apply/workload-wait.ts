import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { type ResourceError } from '../plan/planned-resource.js';
import { podFailure, getReadiness } from './readiness.js';
import { type RunClock, RunEnded } from './run-clock.js';

interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'; values?: string[] }[];
}

export interface Workload {
  kind: ResourceKind;
  object: KubernetesObject;
}

/** Waits until workloads run, and finds out why one does not. */
export class WorkloadWait {
  constructor(
    private readonly cluster: ClusterClient,
    private readonly clock: RunClock,
  ) {}

  /**
   * Waits until all are ready, one has failed for good, or the time is over.
   * @returns the errors of those that are not ready, by workload; empty when all are
   * @throws ClusterError, RunEnded when the run is cancelled
   */
  async waitUntilReady(workloads: Workload[], withinMs: number): Promise<Map<Workload, ResourceError>> {
    let open = new Map(workloads.map((workload) => [workload, 'it is not ready']));
    let lost = false;
    try {
      await this.clock.poll(withinMs, async () => {
        const next = new Map<Workload, string>();
        for (const workload of open.keys()) {
          const readiness = await this.readReadiness(workload);
          if (readiness.state === 'ready') continue;
          next.set(workload, readiness.detail);
          lost ||= readiness.state === 'failed';
        }
        open = next;
        return open.size === 0 || lost ? true : undefined;
      });
    } catch (error) {
      if (!(error instanceof RunEnded) || error.why === 'cancelled') throw error;
    }
    const errors = await Promise.all(
      [...open].map(async ([workload, detail]) => [workload, await this.explain(workload, detail)] as const),
    );
    return new Map(errors);
  }

  private async readReadiness({ kind, object }: Workload) {
    const live = await this.cluster.lookup(kind, object.metadata.name, object.metadata.namespace);
    return live ? getReadiness(live) : ({ state: 'failed', detail: 'it was deleted meanwhile' } as const);
  }

  private async explain({ kind, object }: Workload, detail: string): Promise<ResourceError> {
    const trouble = await this.findPodFailure(kind, object).catch((error: unknown) => {
      if (error instanceof ClusterError) return undefined;
      throw error;
    });
    return { reason: 'NOT_READY', detail: [detail, trouble].filter(Boolean).join('; ') };
  }

  private async findPodFailure(kind: ResourceKind, object: KubernetesObject): Promise<string | undefined> {
    const { name, namespace } = object.metadata;
    const live = await this.cluster.lookup(kind, name, namespace);
    const pods = await this.cluster.findKind('v1', 'Pod');
    if (!live || !pods) return undefined;
    if (live.kind === 'Pod') return podFailure(live);
    const labelSelector = selectorText((live.spec as { selector?: LabelSelector | Record<string, string> }).selector);
    if (!labelSelector) return undefined;
    for (const pod of await this.cluster.list(pods, { namespace, labelSelector })) {
      const trouble = podFailure(pod);
      if (trouble) return `pod ${pod.metadata.name}, ${trouble}`;
    }
    return undefined;
  }
}

function selectorText(selector: LabelSelector | Record<string, string> = {}): string {
  const isPlain = !('matchLabels' in selector) && !('matchExpressions' in selector);
  const { matchLabels = {}, matchExpressions = [] } = (isPlain ? { matchLabels: selector } : selector) as LabelSelector;
  const equal = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  const others = matchExpressions.map(({ key, operator, values = [] }) => {
    if (operator === 'Exists') return key;
    return operator === 'DoesNotExist' ? `!${key}` : `${key} ${operator.toLowerCase()} (${values.join(',')})`;
  });
  return [...equal, ...others].join(',');
}
