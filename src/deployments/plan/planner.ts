import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { type ResourceKind, isSameKind } from '../../kubernetes/clusters/discovery.js';
import { groupOf, type ObjectReference } from '../../kubernetes/clusters/kubernetes-object.js';
import { boundedParallel } from './bounded-parallel.js';
import { Comparison, type OwnershipOptions } from './comparison.js';
import { DefinitionValidator, isRedefined, type SchemaValidator } from './definition-validator.js';
import { type DefinedKind, definedKinds, isDefinition } from './definitions.js';
import { buildDesiredObject, parseDesired } from './desired-object.js';
import { OwnedObjects } from './owned-objects.js';
import { type Owner } from './owner.js';
import { fingerprint, type Plan, type PlanItem } from './plan.js';
import { type DesiredResource, objectKey, type PlannedResource, type ResourceError } from './planned-resource.js';

export interface PlanOptions extends OwnershipOptions {
  /** Of objects that name none: else that of the kubeconfig's context, else `default`. */
  namespace?: string;
  /**
   * Everything that earlier deployments of this owner applied, by their records: where to look for what left the design.
   * Without it every kind of the cluster is searched.
   */
  previous?: ObjectReference[];
  signal?: AbortSignal;
}

const CONCURRENCY = 6;

/** Kinds that others cannot be tried without. */
const PREREQUISITE_KINDS = [
  'ServiceAccount',
  'PriorityClass',
  'RuntimeClass',
  'Role',
  'ClusterRole',
  'StorageClass',
  'LimitRange',
];

/** Finds out what deploying a design would do on one cluster, by asking the cluster itself; nothing is changed. */
export class Planner {
  constructor(
    private readonly cluster: ClusterClient,
    private readonly judge: SchemaValidator,
  ) {}

  /**
   * One item for each resource, with its error if it cannot be deployed, and one for each object that left the design.
   * @throws ClusterError when the cluster as a whole cannot be worked with
   */
  async plan(resources: DesiredResource[], owner: Owner, options: PlanOptions = {}): Promise<Plan> {
    const defined = resources.flatMap(({ object }) => definedKinds(object));
    const items = await boundedParallel(resources, CONCURRENCY, (resource) =>
      this.planItem(resource, defined, owner, options),
    );
    refuseDuplicates(items);
    const comparison = new Comparison(this.cluster, owner, options);
    const [first, rest] = [items.filter(isFoundation), items.filter((item) => !isFoundation(item))];
    const compare = (item: PlanItem, refusals?: Map<PlanItem, ResourceError>) =>
      this.compare(item, items, comparison, refusals?.get(item), options.signal);
    await boundedParallel(first, CONCURRENCY, (item) => compare(item));
    const refusals = await new DefinitionValidator(this.cluster, this.judge, defined).findErrors(rest, items);
    await boundedParallel(rest, CONCURRENCY, (item) => compare(item, refusals));
    const { prunes, unseen } = await this.findPrunes(items, owner, options);
    const all = [...items, ...prunes];
    const { adopt, mayAdopt, force } = options;
    return { owner, options: { adopt, mayAdopt, force }, items: all, unseen, fingerprint: await fingerprint(all) };
  }

  private async planItem(
    { component, object: given }: DesiredResource,
    defined: DefinedKind[],
    owner: Owner,
    options: PlanOptions,
  ): Promise<PlanItem> {
    const metadata = (given['metadata'] ?? {}) as Record<string, unknown>;
    const text = (value: unknown) => (typeof value === 'string' ? value : '');
    const planned: PlannedResource = {
      component,
      api_version: text(given['apiVersion']),
      kind: text(given['kind']),
      namespace: text(metadata['namespace']) || null,
      name: text(metadata['name']),
      action: 'create',
      diff: [],
      verified: false,
      warnings: [],
    };
    const shape = parseDesired(given);
    if ('error' in shape) return { planned: { ...planned, error: shape.error } };
    const { object } = shape;
    const kind =
      (await this.cluster.findKind(object.apiVersion, object.kind)) ??
      defined.find((one) => one.kind.apiVersion === object.apiVersion && one.kind.kind === object.kind)?.kind;
    if (!kind) return { planned: { ...planned, error: await this.unknownKind(object) } };
    const desired = buildDesiredObject(object, kind, owner, options.namespace || this.cluster.namespace || 'default');
    return { planned: { ...planned, namespace: desired.metadata.namespace ?? null }, desired, kind };
  }

  private async unknownKind({ apiVersion, kind }: { apiVersion: string; kind: string }): Promise<ResourceError> {
    const known = (await this.cluster.listKinds()).filter((one) => one.kind === kind).map((one) => one.apiVersion);
    const hint =
      known.length > 0
        ? `it serves that kind as ${known.join(', ')}`
        : 'its definition is neither on the cluster nor in the design';
    return { reason: 'UNKNOWN_KIND', field: 'kind', detail: `The cluster serves no ${kind} of ${apiVersion}: ${hint}` };
  }

  /** @param refusal what the definition in the design says against it, when the cluster cannot judge it */
  private async compare(
    item: PlanItem,
    all: PlanItem[],
    comparison: Comparison,
    refusal?: ResourceError,
    signal?: AbortSignal,
  ): Promise<void> {
    const { planned, desired, kind } = item;
    if (planned.error || !desired || !kind) return;
    if (!(await this.cluster.findKind(kind.apiVersion, kind.kind))) {
      if (refusal) planned.error = refusal;
      return;
    }
    const { live, digest, error, ...compared } = await comparison.compare(kind, desired, signal);
    Object.assign(planned, compared);
    Object.assign(item, { live, digest });
    if (isRedefined(kind, all) && (!error || error.reason === 'INVALID')) {
      planned.verified = false;
      planned.error = refusal;
      if (planned.action === 'unchanged') planned.action = 'update';
    } else if (error && isWaitingForPlan(planned, error, all)) planned.verified = false;
    else if (error) planned.error = error;
  }

  private async findPrunes(items: PlanItem[], owner: Owner, { previous, signal }: PlanOptions) {
    const served = await this.cluster.listKinds();
    const references = [...items.flatMap(({ desired }) => desired ?? []), ...(previous ?? [])];
    const kinds = served.filter((kind) => kind.preferred && references.some((one) => isSameKind(one, kind)));
    const inventory = await new OwnedObjects(this.cluster).find(
      owner,
      previous ? kinds : 'everywhere',
      previous ?? [],
      signal,
    );
    const wanted = new Set(items.map(({ planned }) => objectKey({ ...planned, group: groupOf(planned.api_version) })));
    const prunes = inventory.objects
      .filter(({ kind, object }) => !wanted.has(objectKey({ ...object.metadata, group: kind.group, kind: kind.kind })))
      .map(({ kind, object }): PlanItem => ({
        planned: plannedRemoval('prune', kind, object.metadata),
        kind,
        live: object,
      }));
    return { prunes, unseen: inventory.unseen.map((kind) => [kind.kind, kind.group].filter(Boolean).join('.')) };
  }
}

export function plannedRemoval(
  action: 'prune' | 'delete',
  { apiVersion, kind }: ResourceKind,
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

function refuseDuplicates(items: PlanItem[]): void {
  const seen = new Map<string, PlanItem>();
  for (const item of items) {
    if (!item.kind) continue;
    const key = objectKey({ ...item.planned, group: item.kind.group });
    const first = seen.get(key);
    if (!first) seen.set(key, item);
    else
      item.planned.error = {
        reason: 'DUPLICATE',
        detail: `The design has this object twice: also as component ${first.planned.component}`,
      };
  }
}

function isFoundation({ planned }: PlanItem): boolean {
  return planned.kind === 'Namespace' || isDefinition({ apiVersion: planned.api_version, kind: planned.kind });
}

/** Whether the cluster refuses only because something is missing that this very plan creates first. */
function isWaitingForPlan(planned: PlannedResource, error: ResourceError, all: PlanItem[]): boolean {
  const created = all.filter(
    (item) => item.planned.action === 'create' && !item.planned.error && item.planned !== planned,
  );
  if (error.reason === 'NAMESPACE_NOT_FOUND') {
    return created.some((item) => item.planned.kind === 'Namespace' && item.planned.name === planned.namespace);
  }
  if (error.reason !== 'FORBIDDEN' && error.reason !== 'NOT_FOUND') return false;
  const said = error.detail.replace(/^\S+ "[^"]*" is forbidden: /, '');
  return created.some((item) => PREREQUISITE_KINDS.includes(item.planned.kind) && said.includes(item.planned.name));
}
