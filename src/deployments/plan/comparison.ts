import { randomUUID } from 'node:crypto';
import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type KubernetesObject, type ManagedFields } from '../../kubernetes/clusters/kubernetes-object.js';
import { ApplyTrial } from './apply-trial.js';
import { findRefusedMappings } from './defaulted-siblings.js';
import { definedKinds } from './definitions.js';
import { DeletionRules } from './deletion-rules.js';
import {
  digestChanges,
  diffFields,
  diffDesired,
  digestDesired,
  digestOf,
  isSameButOwner,
  toFieldChanges,
} from './field-changes.js';
import { changeOwnership, findToolEntries } from './field-ownership.js';
import { type KeepOptions } from './kept-objects.js';
import { toPointer } from '../../core/json/json-pointer.js';
import { toFieldPath } from '../../validation/schema/findings.js';
import { type CollidingItem, DesiredFields, heldFieldSet } from './keyed-lists.js';
import { FIELD_MANAGER, matchesOwner, isOwnedBy, parseOwnerLabels, type LabelledOwner, type Owner } from './owner.js';
import { apiUnavailable, type FieldChange, type ResourceError } from './planned-resource.js';
import { isClusterFailure, toResourceError } from './resource-error.js';

/** Options for objects that exist already. */
export interface OwnershipOptions extends KeepOptions {
  /** Adopts existing objects that have no owner. */
  adopt?: boolean;
  /** Whether an object of another owner in this installation may be adopted. Default: no. */
  mayAdopt?: (owner: LabelledOwner) => Promise<boolean>;
  /** Takes over fields from other field managers (`force` of server-side apply). */
  force?: boolean;
  /** Deletes and recreates objects that cannot be updated in place. */
  replace?: boolean;
}

/** The result of the dry run of one object. */
export interface ComparisonResult {
  action: 'create' | 'update' | 'unchanged';
  diff: FieldChange[];
  /** False when the cluster could not run it. */
  verified: boolean;
  warnings: string[];
  /** The live object. */
  live?: KubernetesObject;
  /** Hash of all changes of an update. */
  digest?: string;
  /** The object has to be deleted and recreated. */
  replaces?: boolean;
  /** The object or fields of it become this owner's, by `adopt`. */
  adopts?: boolean;
  /** Managed fields to store before the object is applied. */
  ownership?: ManagedFields[];
  error?: ResourceError;
}

export interface CompareOptions {
  signal?: AbortSignal;
  /** The live object, if it was read just now; otherwise it is read first. */
  live?: KubernetesObject;
  /** The object is not known to exist: the response to its dry run shows that, which saves reading it first. */
  isNew?: boolean;
  /** A definition from `crds/` of a chart is used as it is on the cluster. */
  isChartDefinition?: boolean;
  /** The object has run, and may have been deleted after its end: then there is nothing to apply. */
  hasRun?: boolean;
}

const TERMINATING: ResourceError = {
  reason: 'TERMINATING',
  detail: 'The object is being deleted; deploy again when it is gone',
};

/** Age after which discovery results are refreshed. */
const STALE_MS = 2_000;

/** Determines the effect of applying an object by a server-side apply dry run with the options of the deployment. */
export class Comparison {
  constructor(
    private readonly cluster: ClusterClient,
    private readonly owner: Owner,
    private readonly options: OwnershipOptions,
  ) {}

  /** Whether fields are taken over from other managers. */
  get isForced(): boolean {
    return this.options.force ?? false;
  }

  /**
   * @returns a result with `error` when this object cannot be applied
   * @throws ClusterError for a failure of the cluster as a whole
   */
  async compare(
    kind: ResourceKind,
    desired: KubernetesObject,
    { signal, live: known, isNew, isChartDefinition, hasRun }: CompareOptions = {},
    again = 3,
  ): Promise<ComparisonResult> {
    const created = isNew && !known && !isChartDefinition && !hasRun && (await this.tryCreation(kind, desired, signal));
    if (created) return created;
    let live = known;
    try {
      live ??= await this.cluster.lookup(kind, desired.metadata.name, desired.metadata.namespace, signal);
      if (!live && hasRun) return { action: 'unchanged', diff: [], verified: true, warnings: [] };
      if (live && isChartDefinition) return compareChartDefinition(live, desired);
      const error = live && (await this.findRefusal(live));
      // The known object may be outdated.
      if (error && known) return this.compare(kind, desired, { signal, hasRun }, again);
      if (error) return { action: 'update', diff: [], verified: true, warnings: [], live, error };
      const fields = live && new DesiredFields(desired, live);
      if (live && fields && fields.collisions.length > 0) return this.compareColliding(kind, live, fields);
      const { adopt, force } = this.options;
      const trial = new ApplyTrial(this.cluster, kind, { adopt, force, signal });
      const { object, warnings, ownership, takes } = await trial.run(desired, live);
      if (!live) return { action: 'create', diff: [], verified: true, warnings };
      // A controller changed the object between the two requests; its changes must not appear in the diff.
      if (object.metadata.resourceVersion !== live.metadata.resourceVersion && again > 0)
        return this.compare(kind, desired, { signal, hasRun }, again - 1);
      const digest = digestChanges(kind, live, object);
      const compared = { verified: true, warnings, live, digest, ...(ownership && { ownership }) };
      const adopts = adopt && (takes || !isOwnedBy(this.owner, live));
      if (adopts && isSameButOwner(kind, live, object)) return { ...compared, action: 'unchanged', diff: [], adopts };
      const diff = diffFields(kind, live, object);
      return { ...compared, action: diff.length > 0 ? 'update' : 'unchanged', diff, ...(adopts && { adopts }) };
    } catch (error) {
      const untried: ComparisonResult = {
        action: live ? 'update' : 'create',
        diff: [],
        verified: true,
        warnings: [],
        live,
      };
      // A running cluster may have an aggregated API whose server is unavailable.
      const isDown = error instanceof ClusterError && error.kind === 'unavailable';
      if (isDown && (await this.cluster.isUnavailable(kind.apiVersion, STALE_MS)))
        return { ...untried, error: apiUnavailable(kind.apiVersion) };
      if (!(error instanceof ClusterError) || isClusterFailure(error)) throw error;
      if (/does not support dry run/.test(error.message))
        return { ...untried, verified: false, warnings: [error.message] };
      const refusal = toResourceError(error, desired);
      if (
        live &&
        refusal.reason === 'INVALID' &&
        (await this.isRefusedBesideOthers(kind, live, desired, error, signal))
      )
        refusal.reason = 'IMMUTABLE';
      return live && refusal.reason === 'IMMUTABLE'
        ? this.compareReplacement(kind, live, desired, refusal)
        : { ...untried, error: refusal };
    }
  }

  /** @returns undefined when the object exists, or is refused and may exist: it has to be read then */
  private async tryCreation(
    kind: ResourceKind,
    desired: KubernetesObject,
    signal?: AbortSignal,
  ): Promise<ComparisonResult | undefined> {
    const created: ComparisonResult = { action: 'create', diff: [], verified: true, warnings: [] };
    try {
      const trial = new ApplyTrial(this.cluster, kind, { force: this.options.force, signal });
      const { warnings, isCreated } = await trial.run(desired);
      return isCreated ? { ...created, warnings } : undefined;
    } catch (error) {
      if (!(error instanceof ClusterError) || (isClusterFailure(error) && error.kind !== 'unavailable')) throw error;
      const refusal = toResourceError(error, desired);
      return refusal.reason === 'NAMESPACE_NOT_FOUND' ? { ...created, error: refusal } : undefined;
    }
  }

  /** Whether the cluster refuses the object only because of fields of other managers, so that it would accept it as a new object. */
  private async isRefusedBesideOthers(
    kind: ResourceKind,
    live: KubernetesObject,
    desired: KubernetesObject,
    { causes }: ClusterError,
    signal?: AbortSignal,
  ): Promise<boolean> {
    if (findRefusedMappings(live, desired, causes).length === 0) return false;
    const another = { ...desired, metadata: { ...desired.metadata, name: `new-${randomUUID().slice(0, 8)}` } };
    try {
      await this.cluster.apply(kind, another, { fieldManager: FIELD_MANAGER, dryRun: true, signal });
      return true;
    } catch (error) {
      if (!(error instanceof ClusterError) || isClusterFailure(error)) throw error;
      return false;
    }
  }

  /** Whether an object that cannot be updated in place can be replaced: requested, and without loss of data. */
  private async compareReplacement(
    kind: ResourceKind,
    live: KubernetesObject,
    desired: KubernetesObject,
    error: ResourceError,
  ): Promise<ComparisonResult> {
    const outcome: ComparisonResult = { action: 'update', diff: [], verified: true, warnings: [], live, error };
    if (!this.options.replace) return outcome;
    const rules = new DeletionRules(this.cluster, this.owner, { keep: this.options });
    const why = await rules.findReasonNotToReplace(live);
    if (why !== undefined)
      return { ...outcome, error: { ...error, detail: `${error.detail}. It is not replaced: ${why}` } };
    const tried = await rules.tryDeletion(kind, live);
    const diff = diffDesired(kind, live, desired);
    return {
      ...outcome,
      error: tried.error,
      warnings: tried.warnings,
      verified: false,
      replaces: true,
      diff,
      digest: digestDesired(kind, live, desired),
    };
  }

  /**
   * The result for an object in which another manager has put items in the place of those of the design. No dry run can show their
   * removal: they are taken over first.
   */
  private compareColliding(
    kind: ResourceKind,
    live: KubernetesObject,
    { collisions, changes }: DesiredFields,
  ): ComparisonResult {
    const result: ComparisonResult = { action: 'update', diff: [], verified: true, warnings: [], live };
    const { adopt, force } = this.options;
    const taken = adopt ? findToolEntries(live) : [];
    const held = collisions.filter((one) => !taken.some(({ manager }) => manager === one.manager));
    if (!force && held.length > 0) return { ...result, error: toFieldConflict(held) };
    return {
      ...result,
      diff: toFieldChanges(kind, changes),
      digest: digestOf(changes),
      verified: false,
      ownership: changeOwnership(live, { taken, fields: heldFieldSet(collisions), force: true }),
      ...(adopt && { adopts: true }),
    };
  }

  private async findRefusal(live: KubernetesObject): Promise<ResourceError | undefined> {
    if (live.metadata.deletionTimestamp) return TERMINATING;
    if (isOwnedBy(this.owner, live)) return undefined;
    const other = parseOwnerLabels(live);
    const name = other?.design ? `another deployment (design ${other.design})` : 'something else';
    if (!this.options.adopt)
      return {
        reason: 'NOT_OWNED',
        detail: `The object exists and belongs to ${name}; deploy with adopt to take it over`,
      };
    if (other?.installation !== this.owner.installation || matchesOwner(this.owner, other)) return undefined;
    if (await this.options.mayAdopt?.(other)) return undefined;
    return {
      reason: 'NOT_OWNED',
      detail: `The object exists and belongs to ${name}, and adopting it requires the right to undeploy that deployment: undeploy it first, or ask a user with that right to deploy. If that deployment no longer exists, remove the labels armature.dev/* from the object`,
    };
  }
}

function toFieldConflict(collisions: CollidingItem[]): ResourceError {
  const fields = collisions.map(({ path }) => toFieldPath(toPointer(...path)));
  const held = collisions.map(({ manager, desired }, index) =>
    desired === undefined
      ? `${fields[index]} has left the design, and ${manager} owns fields of it`
      : `${fields[index]}, which ${manager} has set, stands in the place of an item of the design`,
  );
  return { reason: 'FIELD_CONFLICT', field: fields.join(', '), detail: held.join('; ') };
}

/** Whatever it is, it is not changed: several releases may use it. */
function compareChartDefinition(live: KubernetesObject, desired: KubernetesObject): ComparisonResult {
  const served = definedKinds(live).map(({ kind }) => kind.version);
  const missing = definedKinds(desired).flatMap(({ kind }) => (served.includes(kind.version) ? [] : kind.version));
  const warning = 'The definition is on the cluster already, and is used as it is';
  return {
    action: 'unchanged',
    diff: [],
    verified: true,
    warnings: [
      missing.length > 0 ? `${warning}; it does not serve ${missing.join(', ')}, as that of the chart does` : warning,
    ],
    live,
    ...(live.metadata.deletionTimestamp && { error: TERMINATING }),
  };
}
