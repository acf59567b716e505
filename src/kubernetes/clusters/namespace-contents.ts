import type { ClusterClient } from './cluster-client.js';
import { ClusterError } from './cluster-error.js';
import type { ResourceKind } from './discovery.js';
import type { KubernetesObject } from './kubernetes-object.js';
import { isContentOfNamespaces } from './system-objects.js';

/** How often a list is begun again whose pages have expired. */
const MAX_RESTARTS = 3;
/** What the control plane derives from Services. */
const DERIVED = new Set(['endpoints', 'endpointslices.discovery.k8s.io']);
/** The namespaces in which a cluster runs itself. */
const SYSTEM_NAMESPACES = new Set(['kube-system', 'kube-public', 'kube-node-lease']);

export const isSystemNamespace = (name: string): boolean => SYSTEM_NAMESPACES.has(name);

const nameOf = ({ group, plural }: ResourceKind): string => (group === '' ? plural : `${plural}.${group}`);

/** The kinds that hold what was put into namespaces, and what the cluster derives from it; no events, no leases. */
export const findNamespacedKinds = (kinds: readonly ResourceKind[]): ResourceKind[] =>
  kinds.filter((kind) => isContentOfNamespaces(kind) || (kind.preferred && DERIVED.has(nameOf(kind))));

/** Whether a kind has this name, as kubectl takes it: `Deployment`, `deployments`, `deployments.apps`. */
export function isNamed({ kind, plural, group }: ResourceKind, name: string): boolean {
  const [wanted, ...rest] = name.toLowerCase().split('.');
  const isKind = wanted === kind.toLowerCase() || wanted === plural;
  return isKind && (rest.length === 0 || rest.join('.') === group);
}

export interface ContentsQuery {
  /** Default: all namespaces. */
  namespace?: string;
  labelSelector?: string;
  signal?: AbortSignal;
}

/**
 * Lists the objects of a kind as what `convert` makes of each, so that a long list is never in memory as a whole. A list whose pages
 * expire is begun again; a kind that is not served any more has no objects.
 */
export async function listContents<T>(
  client: ClusterClient,
  kind: ResourceKind,
  query: ContentsQuery,
  convert: (object: KubernetesObject) => T,
): Promise<T[]> {
  for (let restarts = 0; ; restarts++)
    try {
      const found: T[] = [];
      for await (const page of client.listPages(kind, query)) for (const object of page) found.push(convert(object));
      return found;
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      if (error.isUnserved) return [];
      if (error.kind !== 'expired' || restarts === MAX_RESTARTS) throw error;
    }
}
