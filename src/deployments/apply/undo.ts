import { isDeepStrictEqual } from 'node:util';
import type { ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import type { ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { omitServerFields } from '../plan/field-changes.js';
import { boundedParallel } from '../plan/bounded-parallel.js';
import { splitByKind } from '../plan/kind-order.js';
import { findClaimsOf } from '../plan/stateful-set-claims.js';
import { findAppliedFields, FIELD_MANAGER, isOwnedBy, type Owner } from '../plan/owner.js';
import { KEPT_DEFINITION } from '../plan/deletion-rules.js';
import { type ResourceError } from '../plan/planned-resource.js';
import { toResourceError } from '../plan/resource-error.js';
import { type AppliedChange } from './applied-change.js';
import { appliedConfiguration, mergePatch, takenConfiguration } from './applied-configuration.js';
import { Removal, type RemovalTarget } from './removal.js';
import { type RunClock, RunEnded } from './run-clock.js';

/** Number of changes of one kind that are undone concurrently. */
const CONCURRENCY = 6;

const GONE_TIMEOUT_MS = 30_000;
/** How long to retry while the cluster does not respond. */
const RETRY_TIMEOUT_MS = 90_000;

/** The field manager that restores the fields of other managers. */
const TAKE_BACK_MANAGER = `${FIELD_MANAGER}-take-back`;

/** A change, with the error if undoing it failed, or `KEPT_DEFINITION`. */
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
    if (!failure || failure === KEPT_DEFINITION) return failure;
    return { reason: 'NOT_TAKEN_BACK', detail: `The changes could not be rolled back: ${failure.detail}` };
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
    if (!previous) {
      const removed = await this.removal.remove(object, { foreground: false });
      const uid = removed.isGone ? undefined : removed.previous?.metadata.uid;
      const left = uid ? await this.removal.waitUntilGone(object, uid, this.clock, GONE_TIMEOUT_MS) : undefined;
      if (removed.previous) await this.removeClaims(removed.previous);
      return removed.error ?? left;
    }
    if (action === 'prune' || action === 'replace') {
      const isStanding = await this.wasNeverDeleted(kind, previous);
      if (isStanding) return undefined;
      const refusal = action === 'replace' ? await this.removeReplacement(object, previous) : undefined;
      if (refusal) return refusal;
      const stuck = await this.removal.waitUntilGone(object, previous.metadata.uid, this.clock, GONE_TIMEOUT_MS);
      return stuck ?? this.restore(kind, previous);
    }
    if (!isOwnedBy(this.owner, previous)) return this.release(kind, previous);
    await this.giveBack(kind, previous);
    return this.restore(kind, previous);
  }

  /** Deletes the volume claims that the cluster created for a StatefulSet which did not exist before; nothing has used them. */
  private async removeClaims(set: KubernetesObject): Promise<void> {
    const since = Date.parse(String(set.metadata['creationTimestamp']));
    for (const { kind, object } of await findClaimsOf(this.cluster, set)) {
      const { name, namespace, uid } = object.metadata;
      if (Date.parse(String(object.metadata['creationTimestamp'])) >= since)
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
    await this.cluster.apply(then, applied, { fieldManager: FIELD_MANAGER, force: true });
  }

  /** Restores fields that were taken over from other managers, so that they remain when this server releases them. */
  private async giveBack(kind: ResourceKind, previous: KubernetesObject): Promise<void> {
    const { name, namespace, uid } = previous.metadata;
    const applied = await this.findVersion(kind, previous);
    const now = await this.cluster.lookup(applied, name, namespace);
    const taken = now?.metadata.uid === uid && now ? takenConfiguration(now, previous) : undefined;
    if (taken) await this.cluster.apply(applied, taken, { fieldManager: TAKE_BACK_MANAGER, force: true });
  }

  /** The kind in the version of a recorded object; another version when the cluster no longer serves that one. */
  private async findVersion(kind: ResourceKind, { apiVersion, kind: name }: KubernetesObject): Promise<ResourceKind> {
    return (await this.cluster.findKind(apiVersion, name)) ?? kind;
  }

  /**
   * Releases an adopted object: first restores values taken over from other managers, then removes the fields that only this server
   * owned.
   */
  private async release(kind: ResourceKind, previous: KubernetesObject): Promise<undefined> {
    const { name, namespace } = previous.metadata;
    const now = await this.cluster.lookup(kind, name, namespace);
    // The adoption was recorded but never made.
    if (!now || isDeepStrictEqual(findAppliedFields(now)?.fieldsV1, findAppliedFields(previous)?.fieldsV1)) return;
    const body = mergePatch(omitServerFields(kind, now), omitServerFields(kind, previous));
    if (Object.keys(body).length > 0)
      await this.cluster.patch(kind, name, namespace, { type: 'merge', body }, { fieldManager: TAKE_BACK_MANAGER });
    await this.cluster.apply(kind, appliedConfiguration({ ...previous }), { fieldManager: FIELD_MANAGER, force: true });
  }
}

function emptyObject({ kind, name }: AppliedChange): KubernetesObject {
  return { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name } };
}
