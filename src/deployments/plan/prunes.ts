import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { isSameKind } from '../../kubernetes/clusters/discovery.js';
import { groupOf, type ObjectReference } from '../../kubernetes/clusters/kubernetes-object.js';
import { boundedParallel } from './bounded-parallel.js';
import { findKeepReason, findUseByDesign, type KeepOptions } from './kept-objects.js';
import { findClaimsByName } from './stateful-set-claims.js';
import { OwnedObjects } from './owned-objects.js';
import { isHookObject, type Owner } from './owner.js';
import { type PlanItem } from './plan-item.js';
import { objectKey, type PlannedResource } from './planned-resource.js';

interface PruneOptions extends KeepOptions {
  previous?: ObjectReference[];
  signal?: AbortSignal;
}

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
  const leaving = inventory.objects.filter(
    ({ kind, object }) =>
      !isHookObject(object) && !wanted.has(objectKey({ ...object.metadata, group: kind.group, kind: kind.kind })),
  );
  const claims = await boundedParallel(leaving, CONCURRENCY, ({ kind, object }) =>
    findClaimsByName(cluster, kind, object.metadata, signal),
  );
  const made = claims.flat().map((claim) => ({ ...claim, isGenerated: true }));
  const prunes = [...leaving, ...made].map(({ kind, object, ...rest }): PlanItem => {
    const kept = findKeepReason(object, options) ?? findUseByDesign(object, items);
    const planned = plannedRemoval(kept === undefined ? 'prune' : 'unchanged', kind, object.metadata);
    return { planned: { ...planned, ...(kept !== undefined && { kept }) }, kind, live: object, ...rest };
  });
  // An object that cannot be pruned remains in the inventory.
  for (const { reference, error } of inventory.unreadable)
    if (error.reason === 'API_UNAVAILABLE' && !items.some(({ planned }) => mayBe(planned, reference)))
      prunes.push({ planned: { ...plannedRemoval('prune', reference, reference), error } });
  return { prunes, unlistable: inventory.unlistable.map((kind) => [kind.kind, kind.group].filter(Boolean).join('.')) };
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
