import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type KubernetesObject, type ObjectMetadata } from '../../kubernetes/clusters/kubernetes-object.js';
import { type KeptObject } from './kept-objects.js';

interface StatefulSetSpec {
  selector?: { matchLabels?: Record<string, string> };
  volumeClaimTemplates?: { metadata?: { name?: string } }[] | null;
}

export interface StatefulSetClaim {
  kind: ResourceKind;
  object: ObjectMetadata;
}

/** What deployments have recorded of the objects that no label identifies. */
export interface KeptRecords {
  /** Of this owner. */
  kept?: KeptObject[];
  /** Which of these uids are recorded for another owner, on whatever connection. */
  findOthers?: (uids: string[]) => Promise<ReadonlySet<string>>;
}

/**
 * The volume claims that the cluster created from the templates of an owner's StatefulSets. The cluster keeps them when the set is
 * deleted, and the next set of that name uses them, whoever has deployed it. So a claim belongs to the owner for whom it is recorded,
 * else to the owner of the set that was there when it was created.
 */
export class StatefulSetClaims {
  private readonly own: ReadonlySet<string>;

  constructor(
    private readonly cluster: ClusterClient,
    private readonly records: KeptRecords,
  ) {
    this.own = new Set((records.kept ?? []).flatMap(({ uid, isGenerated }) => (isGenerated && uid) || []));
  }

  /** @param set a live object of the owner */
  async find(set: KubernetesObject, signal?: AbortSignal): Promise<StatefulSetClaim[]> {
    const prefixes = claimPrefixes(set);
    const kind = prefixes.length > 0 ? await this.cluster.findKind('v1', 'PersistentVolumeClaim') : undefined;
    if (!kind) return [];
    const { matchLabels = {} } = ((set['spec'] ?? {}) as StatefulSetSpec).selector ?? {};
    const labelSelector = Object.entries(matchLabels)
      .map(([key, value]) => `${key}=${value}`)
      .join(',');
    const { namespace } = set.metadata;
    const listed = (await this.cluster.listMetadata(kind, { namespace, labelSelector, signal })).filter((claim) =>
      isNamedAfter(prefixes, claim.metadata.name),
    );
    const unrecorded = listed.flatMap(({ metadata: { uid } }) => (uid && !this.own.has(uid) ? [uid] : []));
    const others = unrecorded.length > 0 ? await this.records.findOthers?.(unrecorded) : undefined;
    return listed
      .filter((claim) => {
        const { uid = '' } = claim.metadata;
        return this.own.has(uid) || (!others?.has(uid) && createdAt(claim) >= createdAt(set));
      })
      .map((object) => ({ kind, object }));
  }

  /** As `find`, for a StatefulSet of which only the metadata is known. */
  async findByName(
    kind: ResourceKind,
    { name, namespace }: { name: string; namespace?: string },
    signal?: AbortSignal,
  ): Promise<StatefulSetClaim[]> {
    const live = kind.kind === 'StatefulSet' ? await this.cluster.lookup(kind, name, namespace, signal) : undefined;
    return live ? this.find(live, signal) : [];
  }
}

const createdAt = ({ metadata }: ObjectMetadata): number => Date.parse(metadata.creationTimestamp ?? '');

/** Whether the StatefulSet uses the volume claim by its name. */
export function isClaimOf(set: KubernetesObject, { metadata: { name, namespace } }: ObjectMetadata): boolean {
  return set.metadata.namespace === namespace && isNamedAfter(claimPrefixes(set), name);
}

/** The beginnings of the names of its volume claims. */
export function claimPrefixes({ kind, metadata, ...rest }: KubernetesObject): string[] {
  const { volumeClaimTemplates } = (rest['spec'] ?? {}) as StatefulSetSpec;
  if (kind !== 'StatefulSet' || !Array.isArray(volumeClaimTemplates)) return [];
  return volumeClaimTemplates.flatMap((template) =>
    template.metadata?.name ? `${template.metadata.name}-${metadata.name}-` : [],
  );
}

const isNamedAfter = (prefixes: string[], claim: string): boolean =>
  prefixes.some((prefix) => claim.startsWith(prefix) && /^\d+$/.test(claim.slice(prefix.length)));
