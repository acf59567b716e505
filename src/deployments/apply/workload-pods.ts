import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { groupOf, type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { sanitizeClusterText } from '../../kubernetes/clusters/sanitize-cluster-text.js';
import { findCondition } from '../../kubernetes/resources/health/health-status.js';
import { findPodFailure, type PodFailure } from './pod-failure.js';

export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'; values?: string[] }[];
}

const REVISION = 'deployment.kubernetes.io/revision';
const DAEMON_SET_GENERATION = 'deprecated.daemonset.template.generation';
/** Time after which a refusal to create pods counts as final; before, other pods may free resources. */
const REFUSED_POD_MS = 10_000;

/** Kinds whose objects run pods. */
const WORKLOADS = new Set([
  ...['apps/Deployment', 'apps/StatefulSet', 'apps/DaemonSet', 'apps/ReplicaSet'],
  ...['/ReplicationController', '/Pod', 'batch/Job'],
]);

export const runsPods = ({ apiVersion, kind }: { apiVersion: string; kind: string }): boolean =>
  WORKLOADS.has(`${groupOf(apiVersion)}/${kind}`);

/** Finds the reason why a workload is not ready: the state of its pods, or why they cannot be created. */
export class WorkloadPods {
  constructor(private readonly cluster: ClusterClient) {}

  /** @returns the reason; undefined when there is none or the cluster does not report it */
  async findFailure(workload: KubernetesObject): Promise<PodFailure | undefined> {
    if (!runsPods(workload)) return undefined;
    try {
      return (await this.findInPods(workload)) ?? findRefusedPod(workload);
    } catch (error) {
      if (error instanceof ClusterError) return undefined;
      throw error;
    }
  }

  private async findInPods(workload: KubernetesObject): Promise<PodFailure | undefined> {
    if (workload.kind === 'Pod') return findPodFailure(workload);
    const pods = await this.cluster.findKind('v1', 'Pod');
    const { selector } = (workload.spec ?? {}) as { selector?: LabelSelector | Record<string, string> };
    const labelSelector = selector && toSelectorText(selector);
    if (!pods || !labelSelector) return undefined;
    const current = await this.findCurrentLabels(workload, labelSelector);
    const { namespace } = workload.metadata;
    let found: PodFailure | undefined;
    const selected = [labelSelector, ...current].join(',');
    for await (const page of this.cluster.listPages(pods, { namespace, labelSelector: selected })) {
      for (const pod of page) {
        if (pod.metadata.deletionTimestamp) continue;
        const failure = findPodFailure(pod, workload.kind === 'Job');
        if (!failure) continue;
        const named = { ...failure, detail: `pod ${pod.metadata.name}, ${failure.detail}` };
        if (named.finalAfterMs !== undefined) return named;
        found ??= named;
      }
      // All pods of a workload have the same template, so the first page suffices.
      break;
    }
    return found;
  }

  /** Selects the current pods; those of the previous template may be broken and are being replaced. */
  private async findCurrentLabels(workload: KubernetesObject, labelSelector: string): Promise<string[]> {
    const { uid, namespace, annotations } = workload.metadata;
    const status = (workload.status ?? {}) as { updateRevision?: string };
    if (workload.kind === 'StatefulSet')
      return status.updateRevision ? [`controller-revision-hash=${status.updateRevision}`] : [];
    if (workload.kind === 'DaemonSet') {
      const generation = annotations?.[DAEMON_SET_GENERATION];
      return generation ? [`pod-template-generation=${generation}`] : [];
    }
    if (workload.kind !== 'Deployment') return [];
    const kind = await this.cluster.findKind('apps/v1', 'ReplicaSet');
    if (!kind) return [];
    const sets = await this.cluster.listMetadata(kind, { namespace, labelSelector });
    const [newest] = sets
      .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid))
      .sort(
        (a, b) => Number(b.metadata.annotations?.[REVISION] ?? 0) - Number(a.metadata.annotations?.[REVISION] ?? 0),
      );
    const hash = newest?.metadata.labels?.['pod-template-hash'];
    return hash ? [`pod-template-hash=${hash}`] : [];
  }
}

/** Why the cluster refuses to create pods of a workload, such as an exceeded quota. */
function findRefusedPod({ status }: KubernetesObject): PodFailure | undefined {
  const failure = findCondition(status, 'ReplicaFailure');
  if (failure?.status !== 'True' || failure.reason !== 'FailedCreate') return undefined;
  const detail = ['the cluster refuses its pods', failure.message].filter(Boolean).join(': ');
  return { detail: sanitizeClusterText(detail), finalAfterMs: REFUSED_POD_MS };
}

/** The selector of a workload as the API takes it. */
export function toSelectorText(selector: LabelSelector | Record<string, string>): string {
  const isPlain = !('matchLabels' in selector) && !('matchExpressions' in selector);
  const { matchLabels = {}, matchExpressions = [] } = (isPlain ? { matchLabels: selector } : selector) as LabelSelector;
  const equal = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  const others = matchExpressions.map(({ key, operator, values = [] }) => {
    if (operator === 'Exists') return key;
    return operator === 'DoesNotExist' ? `!${key}` : `${key} ${operator.toLowerCase()} (${values.join(',')})`;
  });
  return [...equal, ...others].join(',');
}
