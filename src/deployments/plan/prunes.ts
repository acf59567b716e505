import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { isSameKind } from '../../kubernetes/clusters/discovery.js';
import { groupOf, type ObjectReference } from '../../kubernetes/clusters/kubernetes-object.js';
import { boundedParallel } from './bounded-parallel.js';
import { DeletionRules } from './deletion-rules.js';
import { isDefinition } from './definitions.js';
import { findKeptEarlier } from './kept-earlier.js';
import { findKeepReason, findUseByDesign, type KeepOptions, type KeptObject } from './kept-objects.js';
import { findClaimsByName, isClaimOf } from './stateful-set-claims.js';
import { OwnedObjects } from './owned-objects.js';
import { isHookObject, type Owner } from './owner.js';
import { type PlanItem } from './plan-item.js';
import { objectKey, type PlannedResource } from './planned-resource.js';
import { isClusterFailure, toResourceError } from './resource-error.js';

export interface PruneOptions extends KeepOptions {
  previous?: ObjectReference[];
  /** What earlier deployments left on the cluster. */
  kept?: KeptObject[];
  /** Reads the definitions from `crds/` of the chart that is deployed now. */
  chartDefinitions?: () => Promise<ObjectReference[]>;
  signal?: AbortSignal;
}

type Leaving = Required<Pick<PlanItem, 'kind' | 'live'>> & Pick<PlanItem, 'isGenerated' | 'isChartDefinition'>;

const CONCURRENCY = 6;

/** The objects that left the design since its last deployment, to be deleted or kept for a reason. Hooks are excluded. */
export async function findPrunes(
  cluster: ClusterClient,
  items: PlanItem[],
  owner: Owner,
  options: PruneOptions,
): Promise<{ prunes: PlanItem[]; unlistable: string[] }> {
  const { previous, signal } = options;
  const served = await cluster.listKinds();
  const references = [...items.flatMap(({ desired }) => desired ?? []), ...(previous ?? [])];
  const kinds = served.filter((kind) => kind.preferred && references.some((one) => isSameKind(one, kind)));
  const inventory = await new OwnedObjects(cluster).find(
    owner,
    previous ? kinds : 'everywhere',
    previous ?? [],
    signal,
  );
  const wanted = new Set(items.map(({ planned }) => objectKey({ ...planned, group: groupOf(planned.api_version) })));
  const definitions = await findChartDefinitions(wanted, options);
  const owned = inventory.objects
    .filter(({ object }) => !isHookObject(object))
    .map(({ kind, object }): Leaving => {
      const isChartDefinition = definitions.some((one) => isDefinition(object) && one.name === object.metadata.name);
      return { kind, live: object, ...(isChartDefinition && { isChartDefinition }) };
    });
  const claims = (
    await boundedParallel([...owned.filter((one) => !wanted.has(keyOf(one))), ...items], CONCURRENCY, (one) =>
      findClaims(cluster, one, signal),
    )
  ).flat();
  const remembered = await findKeptEarlier(cluster, owner, [...(options.kept ?? []), ...definitions], signal);
  const byKey = new Map([...owned, ...claims, ...remembered].map((one) => [keyOf(one), one]));
  const leaving = [...byKey.values()].filter((one) => !wanted.has(keyOf(one)) && !isClaimOfDesign(one, items));
  const prunes = await planRemovals(cluster, owner, leaving, items, options);
  // An object that cannot be pruned remains in the inventory.
  for (const { reference, error } of inventory.unreadable)
    if (error.reason === 'API_UNAVAILABLE' && !items.some(({ planned }) => mayBe(planned, reference)))
      prunes.push({ planned: { ...plannedRemoval('prune', reference, reference), error } });
  return { prunes, unlistable: inventory.unlistable.map((kind) => [kind.kind, kind.group].filter(Boolean).join('.')) };
}

const keyOf = ({ kind, live }: Leaving): string => objectKey({ ...live.metadata, group: kind.group, kind: kind.kind });

/** The definitions from `crds/` of the deployed chart that the design no longer contains. */
async function findChartDefinitions(
  wanted: ReadonlySet<string>,
  { previous = [], chartDefinitions }: PruneOptions,
): Promise<KeptObject[]> {
  const hasLeft = (one: ObjectReference) => !wanted.has(objectKey({ ...one, group: groupOf(one.apiVersion) }));
  if (!chartDefinitions || !previous.some((one) => isDefinition(one) && hasLeft(one))) return [];
  return (await chartDefinitions()).filter(hasLeft).map((one) => ({ ...one, isChartDefinition: true as const }));
}

/** The claims of a StatefulSet that leaves, or of one that is replaced and may have other claims then. */
async function findClaims(cluster: ClusterClient, one: Leaving | PlanItem, signal?: AbortSignal): Promise<Leaving[]> {
  const { kind, live } = one;
  const stays = 'planned' in one && !one.planned.replaces;
  if (!kind || !live || stays) return [];
  const claims = await findClaimsByName(cluster, kind, live.metadata, signal);
  return claims.map((claim) => ({ kind: claim.kind, live: claim.object, isGenerated: true }));
}

/** Whether a StatefulSet of the design uses the claim. */
const isClaimOfDesign = ({ live, isGenerated }: Leaving, items: PlanItem[]): boolean =>
  isGenerated === true && items.some(({ desired }) => desired !== undefined && isClaimOf(desired, live));

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
  const judge = async (one: Leaving): Promise<Partial<PlannedResource>> => {
    const used = findUseByDesign(one.live, items);
    if (used !== undefined) return { kept: used };
    const reason = await rules.findReason(one.live, one);
    return reason ? { kept: reason.detail } : rules.tryDeletion(one.kind, one.live, signal);
  };
  return boundedParallel(leaving, CONCURRENCY, async (one): Promise<PlanItem> => {
    const { kind, live } = one;
    const found = await judge(one).catch((error: unknown) => {
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
