import { isDeepStrictEqual } from 'node:util';
import type { ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import type { ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type FieldSet, subtractFieldSets } from '../../kubernetes/clusters/field-set.js';
import {
  type KubernetesObject,
  type ManagedFields,
  managedFieldsOf,
} from '../../kubernetes/clusters/kubernetes-object.js';
import { omitServerFields } from '../plan/field-changes.js';
import { boundedParallel } from '../../core/bounded-parallel.js';
import { definedKinds } from '../plan/definitions.js';
import { findRefusedMappings, siblingFields } from '../plan/defaulted-siblings.js';
import {
  changeOwnership,
  fieldsOf,
  fieldsOfOthers,
  findToolEntries,
  isSameEntry,
  storeManagedFields,
  withoutFields,
} from '../plan/field-ownership.js';
import { isVolumeClaim } from '../plan/kept-objects.js';
import { findNewFields, listFields } from '../plan/leftover-fields.js';
import { splitByKind } from '../plan/kind-order.js';
import { type KeptRecords, StatefulSetClaims } from '../plan/stateful-set-claims.js';
import { findAppliedFields, FIELD_MANAGER, isOwnedBy, type Owner } from '../plan/owner.js';
import { KEPT_DEFINITION } from '../plan/deletion-rules.js';
import { type ResourceError } from '../plan/planned-resource.js';
import { toResourceError } from '../plan/resource-error.js';
import { type AppliedChange } from './applied-change.js';
import { appliedConfiguration, mergePatch, takenConfiguration } from './applied-configuration.js';
import { Removal, type RemovalTarget } from './removal.js';
import { type RunClock, RunEnded } from './run-clock.js';
import { isAsApplied } from './unmade-changes.js';

/** Number of changes of one kind that are undone concurrently. */
const CONCURRENCY = 6;

const GONE_TIMEOUT_MS = 30_000;
const SERVED_TIMEOUT_MS = 30_000;
/** How long to retry while the cluster does not respond. */
const RETRY_TIMEOUT_MS = 90_000;

/** The field manager that restores the fields of other managers. */
const TAKE_BACK_MANAGER = `${FIELD_MANAGER}-take-back`;

/** In place of an error: an undeployment has not deleted the object. */
export const NOT_DELETED: ResourceError = { reason: 'NOT_DELETED', detail: 'It was not deleted' };

/** In place of an error: the change was recorded and not made. */
export const NOT_MADE: ResourceError = { reason: 'NOT_MADE', detail: 'It was not changed' };

/** As `NOT_MADE`, unless the run has reported that it made the object. */
export const NOT_OURS: ResourceError = {
  reason: 'NOT_TAKEN_BACK',
  detail: 'The changes could not be rolled back: The object no longer belongs to this deployment',
};

/** Results that are returned as they are. */
const NO_FAILURES: ReadonlySet<ResourceError> = new Set([KEPT_DEFINITION, NOT_DELETED, NOT_MADE, NOT_OURS]);

/** Nothing of this server's was applied to it, or it could not be read. */
const NOT_RECORDED: ResourceError = {
  reason: 'NOT_RECORDED',
  detail: 'It was deleted, and what it contained is not known',
};

const TAKEN_NAME: ResourceError = {
  reason: 'NOT_OWNED',
  detail: 'An object of this name exists that does not belong to this deployment',
};

const EMPTY_CLAIM: ResourceError = { reason: 'EMPTY', detail: 'The claim was made again without its data' };

/** A change, with the error if undoing it failed, or one of the constants that stand in place of an error. */
export interface UndoneChange {
  change: AppliedChange;
  error?: ResourceError;
}

/**
 * Undoes changes on one cluster. Undoing a change twice, or one that was recorded but never made, has no effect, so that a run can
 * be undone wherever it was interrupted. It has a time limit of its own and cannot be cancelled.
 */
export class Undo {
  private readonly removal: Removal;
  private isUnreachable = false;

  constructor(
    private readonly cluster: ClusterClient,
    private readonly owner: Owner,
    private readonly clock: RunClock,
    private readonly records: Pick<KeptRecords, 'findOthers'> = {},
  ) {
    this.removal = new Removal(cluster, owner);
  }

  /**
   * Undoes the last change first; consecutive changes of one kind are undone concurrently.
   * @param before is awaited before each change; if it throws, undoing stops
   */
  async undoAll(changes: readonly AppliedChange[], before?: () => Promise<void>): Promise<UndoneChange[]> {
    const undone: UndoneChange[] = [];
    const left = changes.filter(({ done }) => !done).reverse();
    for (const alike of splitByKind(left, ({ kind }) => kind))
      undone.push(
        ...(await boundedParallel(alike, CONCURRENCY, async (change) => {
          await before?.();
          const error = await this.undoWithRetries(change);
          return { change, ...(error && { error }) };
        })),
      );
    this.cluster.invalidateKinds();
    return undone;
  }

  /** Retries while the cluster does not respond. All changes share one time limit. */
  private async undoWithRetries(change: AppliedChange): Promise<ResourceError | undefined> {
    let failure: ResourceError | undefined;
    try {
      const answered = await this.clock.poll(this.isUnreachable ? 0 : RETRY_TIMEOUT_MS, async () => {
        try {
          failure = await this.undoOnce(change);
          return true;
        } catch (error) {
          if (!(error instanceof ClusterError)) throw error;
          failure = toResourceError(error, change.previous ?? emptyObject(change));
          return error.kind === 'unreachable' || error.kind === 'unavailable' || error.kind === 'timeout'
            ? undefined
            : true;
        }
      });
      this.isUnreachable = !answered;
    } catch (error) {
      if (!(error instanceof RunEnded)) throw error;
      failure ??= { reason: 'TIMEOUT', detail: 'the time limit was exceeded' };
    }
    if (!failure || NO_FAILURES.has(failure)) return failure;
    const { field } = failure;
    return {
      reason: 'NOT_TAKEN_BACK',
      ...(field && { field }),
      detail: `The changes could not be rolled back: ${failure.detail}`,
    };
  }

  private async undoOnce({
    action,
    kind,
    name,
    namespace,
    previous,
    isChartDefinition,
  }: AppliedChange): Promise<ResourceError | undefined> {
    const object = { kind, name, namespace };
    if (isChartDefinition) return (await this.cluster.lookup(kind, name)) && KEPT_DEFINITION;
    if (action === 'delete') return this.undelete(object, previous);
    if (!previous) {
      const removed = await this.removal.remove(object, { foreground: false });
      if (removed.error?.reason === 'NOT_OWNED') return NOT_OURS;
      const uid = removed.isGone ? undefined : removed.previous?.metadata.uid;
      const left = uid ? await this.removal.waitUntilGone(object, uid, this.clock, GONE_TIMEOUT_MS) : undefined;
      if (removed.status === 'deleted' && removed.previous) await this.removeClaims(removed.previous);
      return removed.error ?? left;
    }
    if (action === 'prune' || action === 'replace') {
      const isStanding = await this.wasNeverDeleted(kind, previous);
      if (isStanding) return undefined;
      const refusal = action === 'replace' ? await this.removeReplacement(object, previous) : undefined;
      if (refusal) return refusal;
      return this.recreate(object, previous);
    }
    const then = await this.findVersion(kind, previous);
    const now = await this.cluster.lookup(then, name, namespace);
    if (now && isAsApplied(now, previous)) return NOT_MADE;
    if (now && isUnchanged(then, now, previous)) return undefined;
    if (now && hasLostFields(now, previous)) await this.restoreWhole(then, previous, now);
    else if (isOwnedBy(this.owner, previous)) await this.giveBack(then, previous, now);
    else if (now) await this.restoreContent(then, previous, now);
    await this.returnFields(then, previous);
    await this.restore(kind, previous);
    return this.removeAdded(then, previous);
  }

  /** Makes an object again that an undeployment has deleted, and serves the kinds of a definition again. */
  private async undelete(target: RemovalTarget, previous?: KubernetesObject): Promise<ResourceError | undefined> {
    const { kind, name, namespace } = target;
    const now = await this.cluster.lookup(kind, name, namespace);
    const uid = previous?.metadata.uid ?? now?.metadata.uid;
    if (now && now.metadata.uid === uid && !now.metadata.deletionTimestamp) return NOT_DELETED;
    if (!previous || !findAppliedFields(previous)) return NOT_RECORDED;
    const refusal = await this.recreate(target, previous);
    if (refusal) return refusal;
    for (const defined of definedKinds(previous))
      await this.clock.poll(SERVED_TIMEOUT_MS, () =>
        this.cluster.findKind(defined.kind.apiVersion, defined.kind.kind, 0),
      );
    return isVolumeClaim(previous) ? EMPTY_CLAIM : undefined;
  }

  /** Makes a deleted object again once it is gone, and leaves one of others that has its name. */
  private async recreate(target: RemovalTarget, previous: KubernetesObject): Promise<ResourceError | undefined> {
    const { kind, name, namespace } = target;
    const { uid } = previous.metadata;
    const stuck = await this.removal.waitUntilGone(target, uid, this.clock, GONE_TIMEOUT_MS);
    if (stuck) return stuck;
    const now = await this.cluster.lookup(kind, name, namespace);
    if (now && !isOwnedBy(this.owner, now)) return TAKEN_NAME;
    return this.restore(kind, previous);
  }

  /** Deletes the volume claims that the cluster created for a StatefulSet which did not exist before; nothing has used them. */
  private async removeClaims(set: KubernetesObject): Promise<void> {
    for (const { kind, object } of await new StatefulSetClaims(this.cluster, this.records).find(set)) {
      const { name, namespace, uid } = object.metadata;
      await this.removal.remove({ kind, name, namespace, uid, isGenerated: true }, { foreground: false });
    }
  }

  /** Deletes the object that replaced another. */
  private async removeReplacement(
    target: RemovalTarget,
    { metadata }: KubernetesObject,
  ): Promise<ResourceError | undefined> {
    const now = await this.cluster.lookup(target.kind, target.name, target.namespace);
    if (!now || now.metadata.uid === metadata.uid) return undefined;
    const removed = await this.removal.remove(target);
    const { uid } = removed.previous?.metadata ?? {};
    return removed.error ?? (uid ? this.removal.waitUntilGone(target, uid, this.clock, GONE_TIMEOUT_MS) : undefined);
  }

  /** Whether the object still exists: its deletion was recorded but not requested. */
  private async wasNeverDeleted(kind: ResourceKind, { metadata }: KubernetesObject): Promise<boolean> {
    const now = await this.cluster.lookup(kind, metadata.name, metadata.namespace);
    return now?.metadata.uid === metadata.uid && !now?.metadata.deletionTimestamp;
  }

  private async restore(kind: ResourceKind, previous: KubernetesObject): Promise<undefined> {
    const applied = appliedConfiguration(previous);
    const then = await this.findVersion(kind, applied);
    try {
      await this.cluster.apply(then, applied, TAKE);
    } catch (error) {
      const now = await this.cluster.lookup(then, applied.metadata.name, applied.metadata.namespace);
      if (!now || !(error instanceof ClusterError)) throw error;
      const refused = findRefusedMappings(now, applied, error.causes);
      if (refused.length === 0) throw error;
      await this.own(then, now, siblingFields(refused));
      await this.cluster.apply(then, applied, TAKE);
    }
  }

  /** Restores fields that were taken over from other managers, so that they remain when this server releases them. */
  private async giveBack(kind: ResourceKind, previous: KubernetesObject, now?: KubernetesObject): Promise<void> {
    const taken = now?.metadata.uid === previous.metadata.uid && now ? takenConfiguration(now, previous) : undefined;
    if (taken) await this.cluster.apply(kind, taken, { fieldManager: TAKE_BACK_MANAGER, force: true });
  }

  /** The kind in the version of a recorded object; another version when the cluster no longer serves that one. */
  private async findVersion(kind: ResourceKind, { apiVersion, kind: name }: KubernetesObject): Promise<ResourceKind> {
    return (await this.cluster.findKind(apiVersion, name)) ?? kind;
  }

  /** Restores the values of an adopted object. This server did not own it before, so another manager has to write them. */
  private async restoreContent(kind: ResourceKind, previous: KubernetesObject, now: KubernetesObject): Promise<void> {
    const { name, namespace } = previous.metadata;
    const body = mergePatch(omitServerFields(kind, now), omitServerFields(kind, previous));
    if (Object.keys(body).length > 0)
      await this.cluster.patch(kind, name, namespace, { type: 'merge', body }, { fieldManager: TAKE_BACK_MANAGER });
  }

  /** Restores the values of an object and who owns them: an item that another manager had put in the place of the design's. */
  private async restoreWhole(kind: ResourceKind, previous: KubernetesObject, now: KubernetesObject): Promise<void> {
    await this.restoreContent(kind, previous, now);
    const { name, namespace, uid } = previous.metadata;
    const after = await this.cluster.lookup(kind, name, namespace);
    if (!after || after.metadata.uid !== uid) return;
    // What is recorded are the fields of this server and of tools; those of controllers are as they are now.
    const recorded = managedFieldsOf(previous);
    const isRecorded = (entry: ManagedFields): boolean =>
      entry === findAppliedFields(after) || recorded.some((one) => isSameEntry(one, entry));
    const others = managedFieldsOf(after).filter((entry) => entry.manager !== TAKE_BACK_MANAGER && !isRecorded(entry));
    await storeManagedFields(this.cluster, kind, after, [...others, ...recorded]);
  }

  /** Gives tools the fields back that an adoption took over. */
  private async returnFields(kind: ResourceKind, previous: KubernetesObject): Promise<void> {
    if (findToolEntries(previous).length === 0) return;
    const { name, namespace, uid } = previous.metadata;
    const now = await this.cluster.lookup(kind, name, namespace);
    const returned = now?.metadata.uid === uid && now ? returnToolEntries(now, previous) : undefined;
    if (now && returned) await storeManagedFields(this.cluster, kind, now, returned);
  }

  /** Compares the object with what it was, and removes what is still there and was not. */
  private async removeAdded(kind: ResourceKind, previous: KubernetesObject): Promise<ResourceError | undefined> {
    const { name, namespace, uid } = previous.metadata;
    const now = await this.cluster.lookup(kind, name, namespace);
    if (!now || now.metadata.uid !== uid) return undefined;
    const added = findNewFields(kind, now, previous);
    if (Object.keys(added).length === 0) return undefined;
    await this.own(kind, now, added);
    await this.cluster.apply(kind, appliedConfiguration(previous), TAKE);
    const after = await this.cluster.lookup(kind, name, namespace);
    const left = after && Object.keys(findNewFields(kind, after, previous)).length > 0 ? listFields(added) : [];
    if (left.length === 0) return undefined;
    return { reason: 'CONFLICT', field: left.join(', '), detail: `The cluster keeps ${left.join(', ')}` };
  }

  /** Makes this server the owner of fields, so that its next apply removes them. */
  private async own(kind: ResourceKind, now: KubernetesObject, fields: FieldSet): Promise<void> {
    await storeManagedFields(this.cluster, kind, now, changeOwnership(now, { taken: [], fields, force: true }));
  }
}

const TAKE = { fieldManager: FIELD_MANAGER, force: true };

/** Whether fields that another manager owned are gone, so that nobody owns them any more. */
function hasLostFields(now: KubernetesObject, previous: KubernetesObject): boolean {
  if (now.metadata.uid !== previous.metadata.uid || now.apiVersion !== previous.apiVersion) return false;
  const present = managedFieldsOf(now).map(({ fieldsV1 }) => fieldsV1 ?? {});
  const { 'f:status': _, 'f:metadata': __, ...before } = fieldsOfOthers(previous);
  return Object.keys(present.reduce((left, fields) => subtractFieldSets(left, fields), before)).length > 0;
}

/** Whether a recorded change was never made: the object and what this server owns of it are as they were. */
function isUnchanged(kind: ResourceKind, now: KubernetesObject, previous: KubernetesObject): boolean {
  if (now.metadata.resourceVersion === previous.metadata.resourceVersion)
    return now.metadata.uid === previous.metadata.uid;
  return (
    isDeepStrictEqual(findAppliedFields(now)?.fieldsV1, findAppliedFields(previous)?.fieldsV1) &&
    (findToolEntries(previous).length === 0 || isDeepStrictEqual(findToolEntries(now), findToolEntries(previous))) &&
    isDeepStrictEqual(omitServerFields(kind, now), omitServerFields(kind, previous))
  );
}

/** The managed fields of an object with the entries of tools that an adoption took over; undefined when it took over none. */
function returnToolEntries(now: KubernetesObject, previous: KubernetesObject): ManagedFields[] | undefined {
  const present = managedFieldsOf(now);
  const isAsBefore = (entry: ManagedFields) =>
    present.some((one) => isSameEntry(one, entry) && isDeepStrictEqual(one.fieldsV1, entry.fieldsV1));
  const taken = findToolEntries(previous).filter((entry) => !isAsBefore(entry));
  if (taken.length === 0) return undefined;
  const fields = fieldsOf(taken);
  const isRestorer = ({ manager }: ManagedFields) => manager === TAKE_BACK_MANAGER;
  const kept = present.filter((entry) => !taken.some((one) => isSameEntry(one, entry)));
  const others = kept.flatMap((entry) => (isRestorer(entry) ? withoutFields(entry, fields) : [entry]));
  return [...others, ...taken];
}

function emptyObject({ kind, name }: AppliedChange): KubernetesObject {
  return { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name } };
}
