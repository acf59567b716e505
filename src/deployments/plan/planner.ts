import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../core/json/json.js';
import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { isSameKind, type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { groupOf, type KubernetesObject, type ObjectReference } from '../../kubernetes/clusters/kubernetes-object.js';
import { findAutoscaled, isScaled, omitReplicas } from './autoscaling.js';
import { boundedParallel } from '../../core/bounded-parallel.js';
import { Comparison, type CompareOptions, type OwnershipOptions } from './comparison.js';
import { DefinitionValidator, isRedefined, type SchemaValidator } from './definition-validator.js';
import { definedKinds, isDefinition } from './definitions.js';
import { isDeletedAfterEnd } from './deleted-after-end.js';
import { DesignSecrets } from './design-secrets.js';
import { DraftItems } from './draft-items.js';
import { HookPlans, type HookPhases } from './hook-plans.js';
import { type Owner } from './owner.js';
import { fingerprint, type Plan } from './plan.js';
import { type PlanItem } from './plan-item.js';
import { type DesiredResource, objectKey, recordedKeys, type ResourceError } from './planned-resource.js';
import { isWaitingForPlan } from './prerequisites.js';
import { findPrunes } from './prunes.js';
import { LiveObjects } from './live-objects.js';
import { fillSealedValues, type FindSealedValues, findSealedKeys } from './sealed-values.js';
import { type KeptRecords } from './stateful-set-claims.js';

export interface PlanOptions extends OwnershipOptions, KeptRecords {
  /** The namespace of objects that name none. Default: that of the kubeconfig's context, else `default`. */
  namespace?: string;
  /** Creates that namespace if it does not exist and an object of the design needs it. */
  createNamespace?: boolean;
  /** The phases whose hooks are run. Default: none. */
  phases?: HookPhases;
  /**
   * All objects that earlier deployments of this owner applied; their kinds are searched for objects to prune. Without it, all
   * kinds of the cluster are searched.
   */
  previous?: ObjectReference[];
  /** Reads the resources of the version that stands on the cluster after a deployment that succeeded. */
  standing?: () => Promise<DesiredResource[]>;
  /** Reads the definitions from `crds/` of the chart that is deployed now. */
  chartDefinitions?: () => Promise<ObjectReference[]>;
  /** Finds values of Secrets of which the design has placeholders. */
  sealedValues?: FindSealedValues;
  signal?: AbortSignal;
}

const CONCURRENCY = 6;

/** Determines the effect of deploying a design on one cluster by dry runs on that cluster. */
export class Planner {
  constructor(
    private readonly cluster: ClusterClient,
    private readonly validator: SchemaValidator,
  ) {}

  /**
   * Returns one item for each resource, with its error if it cannot be deployed, and one for each object that left the design.
   * @throws ClusterError for a failure of the cluster as a whole
   */
  async plan(resources: DesiredResource[], owner: Owner, options: PlanOptions = {}): Promise<Plan> {
    const defined = resources.flatMap(({ object }) => definedKinds(object));
    const drafts = new DraftItems(this.cluster, owner, options);
    const hooks = new HookPlans(this.cluster, drafts, options);
    const wanted = resources.filter(({ hook }) => !hook);
    const items = await boundedParallel(wanted, CONCURRENCY, (resource) => drafts.draft(resource, defined));
    refuseDuplicates(items);
    const { before, after } = await hooks.draft(resources, options.phases, defined);
    const drafted = [...items, ...before, ...after];
    const placed = drafted.some(({ isInFallback }) => isInFallback);
    const isUsed = placed || drafted.some(({ planned }) => planned.namespace === options.namespace);
    const given = isUsed && options.createNamespace ? await drafts.draftNamespace(items) : undefined;
    if (given) items.push(given);
    const comparison = new Comparison(this.cluster, owner, options);
    const [first, rest] = [items.filter(isFoundation), items.filter((item) => !isFoundation(item))];
    const live = await LiveObjects.read(this.cluster, owner, items, options);
    const run = await findRun(wanted, items, options);
    const recorded = recordedKeys(options.previous);
    const autoscaled = findAutoscaled(items);
    const compare = async (item: PlanItem, refusals?: Map<PlanItem, ResourceError>) =>
      this.compare(item, items, comparison, {
        refusal: refusals?.get(item),
        live: await this.leaveToAutoscaler(
          item,
          autoscaled,
          await this.fillSecret(item, live.find(item), options),
          options.signal,
        ),
        // What is to be adopted is there.
        isNew:
          !options.adopt && !recorded.has(objectKey({ ...item.planned, group: groupOf(item.planned.api_version) })),
        isChartDefinition: item.isChartDefinition,
        hasRun: run.has(item),
        signal: options.signal,
      });
    await boundedParallel(first, CONCURRENCY, (item) => compare(item));
    // A definition that is not on the cluster serves nothing, whatever was known of its kinds.
    for (const { planned, desired = {} } of first)
      if (planned.action === 'create' && !planned.error)
        for (const { kind } of definedKinds(desired)) await this.cluster.forgetKind(kind);
    const refusals = await new DefinitionValidator(this.cluster, this.validator, defined).findErrors(rest, items);
    await boundedParallel(rest, CONCURRENCY, (item) => compare(item, refusals));
    await hooks.verify([...before, ...after], items);
    const { prunes, unlistable, unlabelled } = await findPrunes(this.cluster, items, owner, options);
    const all = [...items, ...prunes];
    const planned = [...all, ...before, ...after];
    const secrets = await DesignSecrets.of([
      ...resources.map(({ object }) => object),
      ...planned.flatMap(({ desired, compared }) => [desired, compared]).filter(isPresent),
    ]);
    await secrets.hideInPlan(planned.map((one) => one.planned));
    const { adopt, mayAdopt, force, replace, deleteVolumes } = options;
    return {
      owner,
      options: { adopt, mayAdopt, force, replace, deleteVolumes },
      namespace: placed ? drafts.fallback : null,
      items: all,
      hooks: { before, after },
      unlistable,
      unlabelled,
      secrets,
      fingerprint: await fingerprint(planned),
    };
  }

  /**
   * Leaves the values of a Secret as they are that the design does not know.
   * @returns the live object if it was read
   */
  private async fillSecret(
    item: PlanItem,
    known: KubernetesObject | undefined,
    { signal, sealedValues }: PlanOptions,
  ): Promise<KubernetesObject | undefined> {
    const { kind, desired, planned } = item;
    if (!kind || !desired || findSealedKeys(desired).length === 0) return known;
    const { name, namespace } = desired.metadata;
    const live = known ?? (await this.cluster.lookup(kind, name, namespace, signal));
    const { filled, error } = await fillSealedValues(desired, live, sealedValues);
    item.desired = filled;
    planned.error ??= error;
    return live;
  }

  /**
   * Leaves the number of replicas to an autoscaler of the design once that has scaled the object.
   * @returns the live object if it was read
   */
  private async leaveToAutoscaler(
    item: PlanItem,
    autoscaled: ReadonlySet<string>,
    known: KubernetesObject | undefined,
    signal?: AbortSignal,
  ): Promise<KubernetesObject | undefined> {
    const { kind, desired } = item;
    if (!kind || !desired || !autoscaled.has(objectKey({ ...desired.metadata, group: kind.group, kind: kind.kind })))
      return known;
    if (!(await this.cluster.findKind(kind.apiVersion, kind.kind))) return known;
    const { name, namespace } = desired.metadata;
    const live = known ?? (await this.cluster.lookup(kind, name, namespace, signal));
    if (live && isScaled(live)) item.desired = omitReplicas(desired);
    return live;
  }

  /** @param options.refusal the error by the definition in the design, for kinds that the cluster cannot validate */
  private async compare(
    item: PlanItem,
    all: PlanItem[],
    comparison: Comparison,
    { refusal, ...options }: CompareOptions & { refusal?: ResourceError },
  ): Promise<void> {
    const { planned, desired, kind } = item;
    if (planned.error || !desired || !kind) return;
    if (!(await this.cluster.findKind(kind.apiVersion, kind.kind))) {
      planned.error = refusal ?? findUnserved(kind, all);
      return;
    }
    const { live, digest, error, ownership, ...compared } = await comparison.compare(kind, desired, options);
    Object.assign(planned, compared);
    Object.assign(item, { live, compared: live, digest, ownership });
    // It is created anew, and a new object has no resource version yet.
    if (compared.replaces) item.desired = { ...desired, metadata: { ...desired.metadata, resourceVersion: undefined } };
    if (isRedefined(kind, all) && (!error || error.reason === 'INVALID')) {
      planned.verified = false;
      planned.error = refusal;
      if (planned.action === 'unchanged') planned.action = 'update';
    } else if (error && isWaitingForPlan(planned, error, all)) planned.verified = false;
    else if (error) planned.error = error;
  }
}

const isPresent = <T>(one: T | undefined): one is T => one !== undefined;

/** The items that a deployment has run as they are in the design, so that those that are gone have been deleted after their end. */
async function findRun(
  wanted: DesiredResource[],
  items: PlanItem[],
  { previous, standing }: PlanOptions,
): Promise<ReadonlySet<PlanItem>> {
  const recorded = recordedKeys(previous);
  const may = wanted.flatMap(({ object }, index) => {
    const item = items[index];
    const { kind, desired } = item ?? {};
    if (!item || !kind || !desired || !isDeletedAfterEnd(desired)) return [];
    const key = objectKey({ ...desired.metadata, group: kind.group, kind: kind.kind });
    return recorded.has(key) ? [{ item, object }] : [];
  });
  if (!standing || may.length === 0) return new Set();
  const before = new Map((await standing()).map(({ object }) => [nameOf(object), object]));
  return new Set(
    may.filter(({ object }) => isDeepStrictEqual(before.get(nameOf(object)), object)).map(({ item }) => item),
  );
}

/** What names a resource of a design. */
function nameOf({ apiVersion, kind, metadata }: DesiredResource['object']): string {
  const { name, namespace } = isObject(metadata) ? metadata : {};
  return JSON.stringify([apiVersion, kind, namespace, name]);
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

/** The error for an object whose kind the design defines, but not the definition on the cluster, which is used as it is. */
function findUnserved({ apiVersion, kind }: ResourceKind, all: PlanItem[]): ResourceError | undefined {
  const isUsedAsItIs = all.some(
    ({ desired, isChartDefinition, planned }) =>
      isChartDefinition &&
      planned.action === 'unchanged' &&
      definedKinds(desired ?? {}).some((one) => isSameKind({ apiVersion, kind }, one.kind)),
  );
  const detail = `The definition of ${kind} on the cluster does not serve ${apiVersion}, and is used as it is`;
  return isUsedAsItIs ? { reason: 'UNKNOWN_KIND', detail } : undefined;
}

function isFoundation({ planned }: PlanItem): boolean {
  return planned.kind === 'Namespace' || isDefinition({ apiVersion: planned.api_version, kind: planned.kind });
}
