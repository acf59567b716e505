import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { sanitizeClusterText } from '../../kubernetes/clusters/sanitize-cluster-text.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type KubernetesObject, type ObjectMetadata } from '../../kubernetes/clusters/kubernetes-object.js';
import { isDefinition } from '../plan/definitions.js';
import { isOwnedBy, type Owner } from '../plan/owner.js';
import { type ResourceError } from '../plan/planned-resource.js';
import { isClusterFailure, toResourceError } from '../plan/resource-error.js';
import { findKeepReason, type KeepOptions } from '../plan/kept-objects.js';
import { findContentsToKeep } from './foreign-contents.js';
import { type RunClock, RunEnded } from './run-clock.js';

/** One of this owner's objects that is to go. */
export interface RemovalTarget {
  kind: ResourceKind;
  name: string;
  namespace?: string;
  uid?: string;
  /** The object as it was listed, so that it need not be read again unless it has changed since. */
  seen?: ObjectMetadata;
  /** The cluster made it for an object of this owner, and so it carries no owner of its own. */
  isMade?: boolean;
}

export interface RemovalResult {
  /** `kept`: it is to outlive what it belongs to, for the reason that its error gives. */
  status: 'deleted' | 'skipped' | 'kept' | 'failed';
  /** The object as it was before; absent when it was gone already, or deleted as it was listed. */
  previous?: KubernetesObject;
  /** The cluster says that it is gone, and not only going. */
  isGone?: boolean;
  error?: ResourceError;
}

const DELETING = 'The object is being deleted but not gone yet';

/** Groups of kinds that have nothing made for them which could outlive them; a ReplicationController has pods. */
const WITHOUT_DEPENDENTS = /^(|policy|[a-z.]+\.k8s\.io)$/;

/** Deletes objects of one owner, and never anybody else's. */
export class Removal {
  /** @param keep what is kept though it is the owner's; nothing is without it, as when what was just made is undone */
  constructor(
    private readonly cluster: ClusterClient,
    private readonly owner: Owner,
    private readonly keep?: KeepOptions,
  ) {}

  /**
   * Asks for the deletion of the object that it saw, if it is still this owner's and takes nothing of others with it.
   * @param options.foreground whether the object stays until its dependents are gone, such as the pods of a workload; true unless given
   * @param options.before is awaited with the object right before its deletion is asked for
   * @throws ClusterError when the cluster as a whole cannot be worked with
   */
  async remove(
    leaving: RemovalTarget,
    {
      foreground = true,
      before,
    }: { foreground?: boolean; before?: (previous: KubernetesObject) => Promise<void> } = {},
  ): Promise<RemovalResult> {
    const { kind, name, namespace } = leaving;
    let previous: KubernetesObject | undefined;
    try {
      const asSeen = before ? undefined : await this.removeAsSeen(leaving, foreground);
      if (asSeen) return asSeen;
      previous = await this.cluster.lookup(kind, name, namespace);
      const uid = previous?.metadata.uid;
      if (!previous || (leaving.uid && leaving.uid !== uid)) return { status: 'deleted' };
      const kept = await this.reasonToKeep(previous, leaving.isMade);
      if (kept) return { status: kept.reason === 'KEPT' ? 'kept' : 'skipped', error: kept };
      await before?.(previous);
      const { isGone } = await this.cluster.delete(kind, name, namespace, {
        uid,
        propagation: propagationFor(kind, foreground),
      });
      if (isDefinition(previous)) this.cluster.invalidateKinds();
      return { status: 'deleted', previous, isGone };
    } catch (error) {
      if (!(error instanceof ClusterError) || isClusterFailure(error)) throw error;
      if (error.kind === 'notFound') return { status: 'deleted' };
      const object = previous ?? { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name } };
      return { status: 'failed', previous, error: toResourceError(error, object) };
    }
  }

  /** @returns undefined when the object has changed since it was listed, or has to be looked into */
  private async removeAsSeen(
    { kind, name, namespace, seen, isMade }: RemovalTarget,
    foreground: boolean,
  ): Promise<RemovalResult | undefined> {
    const { uid, resourceVersion } = seen?.metadata ?? {};
    if (!seen || !uid || !resourceVersion || seen.kind === 'Namespace' || isDefinition(seen)) return undefined;
    const isKept = this.keep && findKeepReason(seen, this.keep) !== undefined;
    if (isKept || (!isMade && !isOwnedBy(this.owner, seen))) return undefined;
    try {
      const propagation = propagationFor(kind, foreground);
      const { isGone } = await this.cluster.delete(kind, name, namespace, { uid, resourceVersion, propagation });
      return { status: 'deleted', isGone };
    } catch (error) {
      if (error instanceof ClusterError && error.kind === 'conflict') return undefined;
      throw error;
    }
  }

  private async reasonToKeep(object: KubernetesObject, isMade = false): Promise<ResourceError | undefined> {
    if (!isMade && !isOwnedBy(this.owner, object)) {
      return { reason: 'NOT_OWNED', detail: 'The object no longer belongs to this deployment' };
    }
    const kept = this.keep && findKeepReason(object, this.keep);
    return kept === undefined
      ? findContentsToKeep(this.cluster, this.owner, object, this.keep)
      : { reason: 'KEPT', detail: kept };
  }

  /** Waits until the object is gone; what holds it back is the error. @param onWaiting is called with what that is, each time it differs */
  async waitUntilGone(
    { kind, name, namespace }: RemovalTarget,
    uid: string | undefined,
    clock: RunClock,
    withinMs: number,
    onWaiting?: (message: string) => Promise<void>,
  ): Promise<ResourceError | undefined> {
    let message = DELETING;
    let reported = '';
    const isGone = async () => {
      const last = await this.cluster.lookup(kind, name, namespace);
      if (!last || last.metadata.uid !== uid) return true;
      message = [DELETING, ...finalizersOf(last)].join('; ');
      if (message !== reported) await onWaiting?.(message);
      reported = message;
      return undefined;
    };
    const gone = await clock.poll(withinMs, isGone).catch((error: unknown) => {
      if (!(error instanceof RunEnded) || error.why === 'cancelled') throw error;
    });
    if (gone) return undefined;
    return { reason: 'STUCK', detail: message };
  }
}

function propagationFor(kind: ResourceKind, foreground: boolean): 'Background' | 'Foreground' {
  const isAlone = WITHOUT_DEPENDENTS.test(kind.group) && kind.kind !== 'ReplicationController';
  return isAlone || !foreground ? 'Background' : 'Foreground';
}

/** Finalizers by name; the conditions of a namespace report what it could not delete. */
function finalizersOf(object: KubernetesObject): string[] {
  const { conditions } = (object.status ?? {}) as {
    conditions?: { type: string; status: string; message?: string }[] | null;
  };
  const finalizers = object.metadata.finalizers?.join(', ');
  const reported =
    object.kind === 'Namespace' ? (conditions ?? []).filter((one) => one.status === 'True' && one.message) : [];
  return [...(finalizers ? [`it waits for ${finalizers}`] : []), ...reported.map((one) => one.message)].map((said) =>
    sanitizeClusterText(said),
  );
}
