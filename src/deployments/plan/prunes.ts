import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { isSameKind } from '../../kubernetes/clusters/discovery.js';
import { groupOf, type ObjectMetadata, type ObjectReference } from '../../kubernetes/clusters/kubernetes-object.js';
import { boundedParallel } from '../../core/bounded-parallel.js';
import { DeletionRules } from './deletion-rules.js';
import { isDefinition } from './definitions.js';
import { findKeptEarlier, UNREADABLE } from './kept-earlier.js';
import {
  findKeepReason,
  findUseByDesign,
  type KeepOptions,
  type KeptObject,
  toKeptObjects,
  uniqueObjects,
} from './kept-objects.js';
import { isClaimOf, type KeptRecords, StatefulSetClaims } from './stateful-set-claims.js';
import { OwnedObjects } from './owned-objects.js';
import { isHookObject, isOwnedBy, type Owner } from './owner.js';
import { type PlanItem } from './plan-item.js';
import { objectKey, type PlannedResource } from './planned-resource.js';
import { isClusterFailure, toResourceError } from './resource-error.js';

export interface PruneOptions extends KeepOptions, KeptRecords {
  previous?: ObjectReference[];
  /** Reads the definitions from `crds/` of the chart that is deployed now. */
  chartDefinitions?: () => Promise<ObjectReference[]>;
  signal?: AbortSignal;
}

export interface Prunes {
  prunes: PlanItem[];
  /** Kinds that could not be listed. */
  unlistable: string[];
  /** The objects without labels of their owner that a later plan has to know, those that the design uses included. */
  unlabelled: KeptObject[];
}

type Leaving = Required<Pick<PlanItem, 'kind' | 'live'>> & Pick<PlanItem, 'isGenerated' | 'isChartDefinition'>;

const CONCURRENCY = 6;

/** The objects that left the design since its last deployment, to be deleted or kept for a reason. Hooks are excluded. */
export async function findPrunes(
  cluster: ClusterClient,
  items: PlanItem[],
  owner: Owner,
  options: PruneOptions,
): Promise<Prunes> {
  const { previous, signal } = options;
  const served = await cluster.listKinds();
  const references = [...items.flatMap(({ desired }) => desired ?? []), ...(previous ?? [])];
  const kinds = served.filter((kind) => kind.preferred && references.some((one) => isSameKind(one, kind)));
  const inventory = await new OwnedObjects(cluster).find(owner, previous ? kinds : 'everywhere', previous ?? [], {
    signal,
  });
  const wanted = new Set(items.map(({ planned }) => objectKey({ ...planned, group: groupOf(planned.api_version) })));
  const definitions = await findChartDefinitions(wanted, options);
  const owned = inventory.objects
    .filter(({ object }) => !isHookObject(object))
    .map(({ kind, object }): Leaving => {
      const isChartDefinition = definitions.some((one) => isDefinition(object) && one.name === object.metadata.name);
      return { kind, live: object, ...(isChartDefinition && { isChartDefinition }) };
    });
  const known = new StatefulSetClaims(cluster, options);
  const hasLeft = (one: Leaving): boolean => !wanted.has(keyOf(one)) && !isClaimOfDesign(one, items);
  const claims = await boundedParallel([...owned.filter(hasLeft), ...items], CONCURRENCY, (one) =>
    findClaims(known, owner, one, signal),
  );
  const listed = new Set([...owned, ...claims.flat()].map(({ live }) => live.metadata.uid));
  const earlier = [...(options.kept ?? []).filter(({ uid }) => !uid || !listed.has(uid)), ...definitions];
  const { found: remembered, unreadable } = await findKeptEarlier(cluster, owner, earlier, signal);
  const byKey = new Map(
    [...owned, ...claims.flat().filter(({ isUsed }) => !isUsed), ...remembered].map((one) => [keyOf(one), one]),
  );
  const leaving = [...byKey.values()].filter(hasLeft);
  const used = remembered.filter(({ isGenerated }) => isGenerated);
  const prunes = await planRemovals(cluster, owner, leaving, items, options);
  for (const one of unreadable)
    if (!wanted.has(referenceKey(one)) && !isClaimOfDesign({ ...one, live: { ...one, metadata: { ...one } } }, items))
      prunes.push({ planned: { ...plannedRemoval('unchanged', one, one), kept: UNREADABLE } });
  // An object that cannot be pruned remains in the inventory.
  for (const { reference, error } of inventory.unreadable)
    if (error.reason === 'API_UNAVAILABLE' && !items.some(({ planned }) => mayBe(planned, reference)))
      prunes.push({ planned: { ...plannedRemoval('prune', reference, reference), error } });
  return {
    prunes,
    unlistable: inventory.unlistable.map((kind) => [kind.kind, kind.group].filter(Boolean).join('.')),
    unlabelled: uniqueObjects([...toKeptObjects([...leaving, ...claims.flat(), ...used]), ...unreadable]),
  };
}

const keyOf = ({ kind, live }: Leaving): string => objectKey({ ...live.metadata, group: kind.group, kind: kind.kind });

const referenceKey = (one: ObjectReference): string => objectKey({ ...one, group: groupOf(one.apiVersion) });

/** The definitions from `crds/` of the deployed chart that the design no longer contains. */
async function findChartDefinitions(
  wanted: ReadonlySet<string>,
  { previous = [], chartDefinitions }: PruneOptions,
): Promise<KeptObject[]> {
  const hasLeft = (one: ObjectReference) => !wanted.has(referenceKey(one));
  if (!chartDefinitions || !previous.some((one) => isDefinition(one) && hasLeft(one))) return [];
  return (await chartDefinitions()).filter(hasLeft).map((one) => ({ ...one, isChartDefinition: true as const }));
}

interface FoundClaim extends Leaving {
  /** The StatefulSet stays, and uses it. */
  isUsed: boolean;
}

/** The claims of a StatefulSet of the owner. One that is replaced may have other claims then. */
async function findClaims(
  known: StatefulSetClaims,
  owner: Owner,
  one: Leaving | PlanItem,
  signal?: AbortSignal,
): Promise<FoundClaim[]> {
  const { kind, live } = one;
  const isUsed = 'planned' in one && !one.planned.replaces;
  if (!kind || !live || !isOwnedBy(owner, live)) return [];
  try {
    const compared = 'compared' in one ? one.compared : undefined;
    const claims = compared ? await known.find(compared, signal) : await known.findByName(kind, live.metadata, signal);
    return claims.map((claim) => ({ kind: claim.kind, live: claim.object, isGenerated: true, isUsed }));
  } catch (error) {
    // Without permission to list claims, those of a set that stays are not known, and stay as well.
    if (isUsed && error instanceof ClusterError && error.kind === 'forbidden') return [];
    throw error;
  }
}

/** Whether a StatefulSet of the design uses the volume claim. */
const isClaimOfDesign = (
  { live, isGenerated }: { live: ObjectMetadata; isGenerated?: boolean },
  items: PlanItem[],
): boolean => isGenerated === true && items.some(({ desired }) => desired !== undefined && isClaimOf(desired, live));

/** Plans what is deleted, which the cluster has to allow in a dry run, and what is kept. */
async function planRemovals(
  cluster: ClusterClient,
  owner: Owner,
  leaving: Leaving[],
  items: PlanItem[],
  { deleteVolumes, signal }: PruneOptions,
): Promise<PlanItem[]> {
  const uids = (some: Leaving[]) => new Set(some.flatMap(({ live }) => live.metadata.uid ?? []));
  const keep = { deleteVolumes };
  const rules = new DeletionRules(cluster, owner, {
    keep,
    leaving: uids(
      leaving.filter(({ live }) => findUseByDesign(live, items) === undefined && !findKeepReason(live, keep)),
    ),
    generated: uids(leaving.filter(({ isGenerated }) => isGenerated)),
  });
  const decide = async (one: Leaving): Promise<Partial<PlannedResource>> => {
    const used = findUseByDesign(one.live, items);
    if (used !== undefined) return { kept: used };
    const reason = await rules.findReason(one.live, one);
    return reason ? { kept: reason.detail } : rules.tryDeletion(one.kind, one.live, signal);
  };
  return boundedParallel(leaving, CONCURRENCY, async (one): Promise<PlanItem> => {
    const { kind, live } = one;
    const found = await decide(one).catch((error: unknown) => {
      if (!(error instanceof ClusterError) || isClusterFailure(error)) throw error;
      return { error: toResourceError(error, live) };
    });
    const planned = plannedRemoval('kept' in found ? 'unchanged' : 'prune', kind, live.metadata);
    return { ...one, planned: { ...planned, ...found } };
  });
}

/** Whether a resource of the design may be this object. For an unknown kind, the namespace is not compared. */
const mayBe = ({ api_version, kind, namespace, name }: PlannedResource, object: ObjectReference): boolean =>
  isSameKind({ apiVersion: api_version, kind }, object) &&
  name === object.name &&
  (namespace === null || namespace === object.namespace);

export function plannedRemoval(
  action: 'prune' | 'delete' | 'unchanged',
  { apiVersion, kind }: { apiVersion: string; kind: string },
  { namespace, name }: { namespace?: string; name: string },
): PlannedResource {
  return {
    component: null,
    api_version: apiVersion,
    kind,
    namespace: namespace ?? null,
    name,
    action,
    diff: [],
    verified: true,
    warnings: [],
  };
}
