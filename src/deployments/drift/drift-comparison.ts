import { isDeepStrictEqual } from 'node:util';
import { parsePointer } from '../../core/json/json-pointer.js';
import { TimeSlicer } from '../../core/time-slicer.js';
import type { DriftMode } from '../../environments/environment.entity.js';
import type { ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import type { ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { hasField } from '../../kubernetes/clusters/field-set.js';
import {
  groupOf,
  type KubernetesObject,
  type ManagedFields,
  managedFieldsOf,
  type ObjectReference,
} from '../../kubernetes/clusters/kubernetes-object.js';
import { type AddedField, findAddedFields } from '../plan/added-fields.js';
import { boundedParallel } from '../../core/bounded-parallel.js';
import { Comparison, type ComparisonResult } from '../plan/comparison.js';
import { isDeletedAfterEnd } from '../plan/deleted-after-end.js';
import { DesignSecrets } from '../plan/design-secrets.js';
import { buildDesiredObject, parseDesired } from '../plan/desired-object.js';
import { toFieldChanges } from '../plan/field-changes.js';
import { changeOwnership } from '../plan/field-ownership.js';
import { DesiredFields, type HeldFields, heldFieldSet } from '../plan/keyed-lists.js';
import { FIELD_MANAGER, findAppliedFields, type Owner, parseOwnerLabels } from '../plan/owner.js';
import { type DesiredResource, type FieldChange, objectKey } from '../plan/planned-resource.js';
import { fillSealedValues, type FindSealedValues, findSealedKeys } from '../plan/sealed-values.js';
import { LiveObjects } from '../plan/live-objects.js';
import { findFieldWriter } from './field-managers.js';

export const DRIFT_RESOURCE_STATUSES = ['in_sync', 'changed', 'missing', 'unknown'] as const;
export type DriftResourceStatus = (typeof DRIFT_RESOURCE_STATUSES)[number];

/** A field that differs from the design. Secret values are shown as `(hidden)`. */
export interface DriftChange {
  pointer: string;
  desired: unknown;
  live: unknown;
  /** The field manager that wrote it, and when; null when no manager owns the field any more. */
  manager: string | null;
  at: string | null;
}

/** A field that a person has added by hand, and that the design does not have. */
export interface DriftExtra {
  pointer: string;
  live: unknown;
  manager: string;
  at: string | null;
}

/** The state of one resource of a design on a cluster. */
export interface DriftResource {
  api_version: string;
  kind: string;
  namespace: string | null;
  name: string;
  status: DriftResourceStatus;
  changes: DriftChange[];
  extra: DriftExtra[];
  /** Why it cannot be compared. */
  detail: string | null;
}

/** A drifted resource, with what is needed to apply it again. */
export interface DriftedObject {
  resource: DriftResource;
  kind: ResourceKind;
  desired: KubernetesObject;
  live?: KubernetesObject;
  /** Managed fields to store before it is applied, so that the apply removes fields of other managers. */
  ownership?: ManagedFields[];
  /** Whether the object belongs to this owner or was deleted; objects of other owners are not changed. */
  isHealable: boolean;
}

export interface AppliedObjects {
  owner: Owner;
  namespace: string;
  /** All objects that were applied on the cluster. */
  objects: ObjectReference[];
  /** Whether fields that a person has added are drift, too. */
  mode: DriftMode;
  /** Finds values of Secrets of which the design has placeholders. */
  sealedValues?: FindSealedValues;
}

type Draft = Pick<DriftedObject, 'kind' | 'desired'> & Pick<DesiredResource, 'isChartDefinition'>;

const CONCURRENCY = 6;
const KIND_GONE = 'The cluster does not serve the kind any more';
/** Maximum number of autoscalers that are read in a namespace. */
const MAX_AUTOSCALERS = 500;

/**
 * Compares the desired and the live state of a design on a cluster by a server-side apply dry run of each resource. `pace` is awaited
 * before each request.
 */
export class DriftComparison {
  private readonly scaled = new Map<string, Promise<Set<string>>>();

  constructor(
    private readonly cluster: ClusterClient,
    private readonly applied: AppliedObjects,
    private readonly signal?: AbortSignal,
    private readonly pace?: () => Promise<void>,
  ) {}

  /** @throws ClusterError for a failure of the cluster as a whole */
  async compare(resources: DesiredResource[]): Promise<{ resources: DriftResource[]; drifted: DriftedObject[] }> {
    const { owner } = this.applied;
    const applied = new Set(this.applied.objects.map(keyOf));
    const drafted = await boundedParallel(resources, CONCURRENCY, (resource) => this.draft(resource, applied));
    const drafts = drafted.filter((one) => one !== undefined);
    const wanted = drafts.filter((one) => 'desired' in one);
    await this.pace?.();
    const live = await LiveObjects.read(this.cluster, owner, wanted, {
      previous: this.applied.objects,
      signal: this.signal,
    });
    const found = await boundedParallel(drafts, CONCURRENCY, (draft) =>
      'desired' in draft ? this.compareOne(draft, live.find(draft)) : Promise.resolve(draft),
    );
    const compared = found.filter((one): one is DriftedObject => 'kind' in one);
    const objects = compared.flatMap(({ desired, live: now }) => (now ? [desired, now] : [desired]));
    await hideSecrets(found, await DesignSecrets.of([...resources.map(({ object }) => object), ...objects]));
    return {
      resources: found.map(({ resource }) => resource),
      drifted: compared.filter(({ resource }) => isDrifted(resource)),
    };
  }

  /** The desired object, or the result when no dry run is possible; undefined for an object that was not applied on this cluster. */
  private async draft(
    { object: given, isChartDefinition }: DesiredResource,
    applied: ReadonlySet<string>,
  ): Promise<Draft | { resource: DriftResource } | undefined> {
    const shape = parseDesired(given);
    if ('error' in shape || isHook(shape.object)) return undefined;
    const kind = await this.cluster.findKind(shape.object.apiVersion, shape.object.kind);
    if (!kind) return this.compareUnserved(shape.object, applied);
    const { owner, namespace } = this.applied;
    const desired = buildDesiredObject(shape.object, kind, isChartDefinition ? null : owner, namespace);
    return applied.has(keyOf(toReference(desired))) ? { kind, desired, isChartDefinition } : undefined;
  }

  private async compareOne(
    draft: Draft,
    read?: KubernetesObject,
  ): Promise<DriftedObject | { resource: DriftResource }> {
    const { kind, isChartDefinition } = draft;
    await this.pace?.();
    if (isChartDefinition) return this.compareDefinition(draft);
    const isSealed = findSealedKeys(draft.desired).length > 0;
    const { name, namespace } = draft.desired.metadata;
    const known = read ?? (isSealed ? await this.cluster.lookup(kind, name, namespace, this.signal) : undefined);
    const { filled: desired, error: unknown } = isSealed
      ? await fillSealedValues(draft.desired, known, this.applied.sealedValues)
      : { filled: draft.desired };
    if (unknown) return { resource: toResource(desired, known ? 'changed' : 'missing', { detail: unknown.detail }) };
    let result = await this.dryRun(kind, desired, { adopt: false, live: known });
    const { live } = result;
    const other = live && parseOwnerLabels(live)?.design;
    const isOurs = !live || findAppliedFields(live) !== undefined;
    const hasLostLabels =
      result.error?.reason === 'NOT_OWNED' && isOurs && (!other || other === this.applied.owner.design);
    if (hasLostLabels) result = await this.dryRun(kind, desired, { adopt: true });
    const { error } = result;
    if (error?.reason === 'UNKNOWN_KIND') return { resource: toResource(desired, 'missing', { detail: KIND_GONE }) };
    const isForeign = error !== undefined && NOT_COMPARABLE.includes(error.reason);
    const fields = live && !isForeign ? new DesiredFields(desired, live) : undefined;
    const changes = live && fields ? await this.findChanges(kind, desired, live, { ...result, fields }) : [];
    const added = live && fields ? findAddedFields(desired, live).filter((one) => !isColliding(fields, one)) : [];
    const isStrict = this.applied.mode === 'strict';
    const hasChanged = changes.length > 0 || (isStrict && added.length > 0);
    const extra = added.map((one) => toExtra(kind, one));
    const status = this.toStatus(result, hasChanged);
    const resource = toResource(desired, status, { changes, extra, detail: error?.detail ?? null });
    const ownership = live && isStrict ? takeOver(live, result.ownership, added) : result.ownership;
    return { resource, kind, desired, live, ownership, isHealable: !live || (isOurs && !isForeign) };
  }

  /** A definition from `crds/` of a chart is used as it is, whatever it is. */
  private async compareDefinition({ kind, desired }: Draft): Promise<DriftedObject> {
    const live = await this.cluster.lookup(kind, desired.metadata.name, undefined, this.signal);
    const resource = toResource(desired, live ? 'in_sync' : 'missing', { detail: null });
    return { resource, kind, desired, live, isHealable: !live };
  }

  private toStatus({ live, error, action }: ComparisonResult, hasChanged: boolean): DriftResourceStatus {
    if (error?.reason === 'NOT_OWNED') return 'changed';
    if (error && (!live || error.reason === 'TERMINATING')) return 'unknown';
    if (!live) return action === 'create' ? 'missing' : 'in_sync';
    return hasChanged ? 'changed' : 'in_sync';
  }

  private dryRun(
    kind: ResourceKind,
    desired: KubernetesObject,
    { adopt, live }: { adopt: boolean; live?: KubernetesObject },
  ): Promise<ComparisonResult> {
    const options = { force: true, adopt, mayAdopt: () => Promise.resolve(false) };
    const comparison = new Comparison(this.cluster, this.applied.owner, options);
    return comparison.compare(kind, desired, { signal: this.signal, live, hasRun: isDeletedAfterEnd(desired) });
  }

  /** Compares only fields of the design. If an autoscaler exists, the number of replicas is ignored. */
  private async findChanges(
    kind: ResourceKind,
    desired: KubernetesObject,
    live: KubernetesObject,
    { diff, error, fields }: ComparisonResult & { fields: DesiredFields },
  ): Promise<DriftChange[]> {
    const isTried = !error && fields.collisions.length === 0;
    const found = isTried ? diff : this.compareFields(kind, fields, live);
    const changes = found.filter(
      ({ path }) => !path.startsWith('/metadata/managedFields') && isDesired(desired, parsePointer(path)),
    );
    const isScaled = changes.some(({ path }) => path === '/spec/replicas') && (await this.isScaled(kind, desired));
    return changes
      .filter(({ path }) => !(isScaled && path === '/spec/replicas'))
      .map(({ path, from, to }) => {
        const writer = findFieldWriter(live, parsePointer(path));
        return { pointer: path, desired: to, live: from, manager: writer?.manager ?? null, at: writer?.at ?? null };
      });
  }

  /**
   * The changes of an object for which the API server refuses a dry run. A field that this server still owns is as it was applied,
   * however the API server writes it.
   */
  private compareFields(kind: ResourceKind, { changes }: DesiredFields, live: KubernetesObject): FieldChange[] {
    const ours = managedFieldsOf(live).filter(({ manager }) => manager === FIELD_MANAGER);
    const isHeld = (path: string[]) => ours.some(({ fieldsV1 }) => hasField(fieldsV1, live, path));
    return toFieldChanges(
      kind,
      changes.filter(({ path, live: value }) => value === undefined || !isHeld(path)),
    );
  }

  private async isScaled(kind: ResourceKind, { metadata }: KubernetesObject): Promise<boolean> {
    const { namespace = '' } = metadata;
    const reading = this.scaled.get(namespace) ?? this.readScaled(namespace);
    this.scaled.set(namespace, reading);
    return (await reading).has(`${kind.group}/${kind.kind}/${metadata.name}`);
  }

  /** The workloads that the autoscalers of a namespace scale. */
  private async readScaled(namespace: string): Promise<Set<string>> {
    const kinds = (await this.cluster.listKinds()).filter(
      (one) => one.preferred && one.group === 'autoscaling' && one.kind === 'HorizontalPodAutoscaler',
    );
    const found = new Set<string>();
    for (const kind of kinds)
      try {
        for await (const page of this.cluster.listPages(kind, {
          namespace,
          pageSize: MAX_AUTOSCALERS,
          signal: this.signal,
        }))
          for (const { spec } of page) {
            const { apiVersion = '', kind: target, name } = ((spec ?? {}) as AutoscalerSpec).scaleTargetRef ?? {};
            found.add(`${groupOf(apiVersion)}/${target}/${name}`);
          }
      } catch (error) {
        if (!(error instanceof ClusterError) || error.kind !== 'forbidden') throw error;
      }
    return found;
  }

  /** If the kind was removed, so were its objects; if only its API server is unavailable, they still exist. */
  private async compareUnserved(
    object: KubernetesObject,
    applied: ReadonlySet<string>,
  ): Promise<{ resource: DriftResource } | undefined> {
    const { namespace, name } = object.metadata;
    const known = [namespace, this.applied.namespace, undefined].some((one) =>
      applied.has(keyOf({ apiVersion: object.apiVersion, kind: object.kind, namespace: one, name })),
    );
    if (!known) return undefined;
    return (await this.cluster.isUnavailable(object.apiVersion))
      ? {
          resource: toResource(object, 'unknown', {
            detail: `The API server of ${object.apiVersion} does not respond`,
          }),
        }
      : { resource: toResource(object, 'missing', { detail: KIND_GONE }) };
  }
}

async function hideSecrets(found: { resource: DriftResource }[], secrets: DesignSecrets): Promise<void> {
  const turns = new TimeSlicer();
  for (const { resource } of found) {
    for (const change of resource.changes) {
      change.desired = secrets.hideIn(change.desired);
      change.live = secrets.hideIn(change.live);
      await turns.yieldToEventLoop();
    }
    for (const one of resource.extra) {
      one.live = secrets.hideIn(one.live);
      await turns.yieldToEventLoop();
    }
    if (resource.detail !== null) resource.detail = secrets.hideInMessage(resource.detail);
  }
}

interface AutoscalerSpec {
  scaleTargetRef?: { apiVersion?: string; kind?: string; name?: string };
}

export const isDrifted = ({ status }: Pick<DriftResource, 'status'>): boolean =>
  status === 'changed' || status === 'missing';

const keyOf = ({ apiVersion, kind, namespace, name }: ObjectReference): string =>
  objectKey({ group: groupOf(apiVersion), kind, namespace, name });

const toReference = ({ apiVersion, kind, metadata: { namespace, name } }: KubernetesObject): ObjectReference => ({
  ...{ apiVersion, kind, namespace, name },
});

const toResource = (
  { apiVersion, kind, metadata }: KubernetesObject,
  status: DriftResourceStatus,
  {
    changes = [],
    extra = [],
    detail,
  }: Partial<Pick<DriftResource, 'changes' | 'extra'>> & Pick<DriftResource, 'detail'>,
): DriftResource => ({
  ...{ api_version: apiVersion, kind, namespace: metadata.namespace ?? null, name: metadata.name },
  ...{ status, changes, extra, detail },
});

/** Objects that are not this owner's, or that are going to be gone. */
const NOT_COMPARABLE = ['NOT_OWNED', 'TERMINATING'];

const isColliding = ({ collisions }: DesiredFields, { path }: HeldFields): boolean =>
  collisions.some((one) => isDeepStrictEqual(one.path, path));

function toExtra(kind: ResourceKind, { path, live, manager, at }: AddedField): DriftExtra {
  const [change] = toFieldChanges(kind, [{ path, desired: undefined, live }]);
  return { pointer: change?.path ?? '', live: change?.from, manager, at };
}

/** The managed fields after this server has taken over fields that people have added. */
function takeOver(
  live: KubernetesObject,
  managedFields = live.metadata.managedFields,
  added: readonly HeldFields[],
): ManagedFields[] | undefined {
  if (added.length === 0) return managedFields === live.metadata.managedFields ? undefined : managedFields;
  const owned = { ...live, metadata: { ...live.metadata, managedFields } };
  return changeOwnership(owned, { taken: [], fields: heldFieldSet(added), force: true });
}

/** Hooks of charts are created and deleted by their own policies. */
const isHook = ({ metadata }: KubernetesObject): boolean => Boolean(metadata.annotations?.['helm.sh/hook']);

/** Whether the design sets the field. For a path inside a list, the list counts, because the cluster may reorder and add items. */
function isDesired(desired: unknown, path: readonly string[]): boolean {
  let at: unknown = desired;
  for (const name of path) {
    if (typeof at !== 'object' || at === null || Array.isArray(at)) return at !== undefined && at !== null;
    if (!Object.hasOwn(at, name)) return false;
    at = (at as Record<string, unknown>)[name];
  }
  return true;
}
