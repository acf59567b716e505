import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { isObject } from '../../core/json/json.js';
import { type KubernetesObject, type ObjectMetadata } from '../../kubernetes/clusters/kubernetes-object.js';
import { type LabelSelector, runsPods, toSelectorText } from '../apply/workload-pods.js';

/** A container of a pod whose log is read. */
export interface LogSource {
  pod: { name: string; namespace: string };
  container: string;
}

/** The maximum number of pods of an object whose logs are read. */
const MAX_PODS = 10;
/** Of a CronJob, those of its last Jobs. */
const MAX_JOBS = 3;

export const hasLogs = (object: { apiVersion: string; kind: string }): boolean =>
  runsPods(object) || (object.kind === 'CronJob' && object.apiVersion.startsWith('batch/'));

/**
 * The pods of a workload: those that its controller has made, and not whatever its selector matches, which may be those of others.
 * Sorted by name, at most ten.
 */
export async function findPods(
  client: ClusterClient,
  workload: KubernetesObject,
  signal: AbortSignal,
): Promise<KubernetesObject[]> {
  if (workload.kind === 'Pod') return [workload];
  if (workload.kind === 'CronJob') return findPodsOfJobs(client, workload, signal);
  const selector = (workload['spec'] as { selector?: LabelSelector | Record<string, string> } | undefined)?.selector;
  const labelSelector = selector && toSelectorText(selector);
  if (!labelSelector) return [];
  const place = { namespace: workload.metadata.namespace, labelSelector, signal };
  const owners =
    workload.kind === 'Deployment' ? await listOwned(client, 'apps/v1', 'ReplicaSet', workload, place) : [workload];
  return listPods(client, owners, place);
}

interface Place {
  namespace: string | undefined;
  labelSelector?: string;
  signal: AbortSignal;
}

async function findPodsOfJobs(
  client: ClusterClient,
  workload: KubernetesObject,
  signal: AbortSignal,
): Promise<KubernetesObject[]> {
  const { namespace } = workload.metadata;
  const jobs = await listOwned(client, 'batch/v1', 'Job', workload, { namespace, signal });
  const timeOf = ({ metadata }: ObjectMetadata): string => metadata.creationTimestamp ?? '';
  const last = jobs.sort((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1)).slice(0, MAX_JOBS);
  const found: KubernetesObject[] = [];
  for (const job of last)
    found.push(
      ...(await listPods(client, [job], { namespace, labelSelector: `job-name=${job.metadata.name}`, signal })),
    );
  return found.slice(0, MAX_PODS);
}

async function listOwned(
  client: ClusterClient,
  apiVersion: string,
  kind: string,
  owner: ObjectMetadata,
  place: Place,
): Promise<ObjectMetadata[]> {
  const found = await client.findKind(apiVersion, kind);
  return found ? (await client.listMetadata(found, place)).filter((one) => isOwned(one, [owner])) : [];
}

async function listPods(client: ClusterClient, owners: ObjectMetadata[], place: Place): Promise<KubernetesObject[]> {
  const kind = await client.findKind('v1', 'Pod');
  if (!kind || owners.length === 0) return [];
  const found: KubernetesObject[] = [];
  for await (const page of client.listPages(kind, place)) {
    found.push(...page.filter((pod) => isOwned(pod, owners)));
    if (found.length >= MAX_PODS) break;
  }
  return found.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)).slice(0, MAX_PODS);
}

const isOwned = ({ metadata }: ObjectMetadata, owners: ObjectMetadata[]): boolean =>
  (metadata.ownerReferences ?? []).some(
    ({ uid, controller }) => controller === true && owners.some((owner) => owner.metadata.uid === uid),
  );

/** The containers of a pod; those that initialize only where one is named. */
export function findContainers({ metadata, spec }: KubernetesObject, wanted: string | undefined): LogSource[] {
  const { containers, initContainers } = isObject(spec) ? spec : {};
  const all = [containers, ...(wanted ? [initContainers] : [])].flatMap((list) => (Array.isArray(list) ? list : []));
  const names = all.flatMap((one) => (isObject(one) && typeof one['name'] === 'string' ? one['name'] : []));
  const pod = { name: metadata.name, namespace: metadata.namespace ?? 'default' };
  return names.filter((name) => !wanted || name === wanted).map((container) => ({ pod, container }));
}
