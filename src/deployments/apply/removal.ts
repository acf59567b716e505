import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { sanitizeClusterText } from '../../kubernetes/clusters/sanitize-cluster-text.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type KubernetesObject, type ObjectMetadata } from '../../kubernetes/clusters/kubernetes-object.js';
import { isDefinition } from '../plan/definitions.js';
import { DeletionRules, type DeletionScope } from '../plan/deletion-rules.js';
import { type Owner } from '../plan/owner.js';
import { type ResourceError } from '../plan/planned-resource.js';
import { isClusterFailure, toResourceError } from '../plan/resource-error.js';
import { type RunClock, RunEnded } from './run-clock.js';

/** An object of this owner that is to be deleted. */
export interface RemovalTarget {
  kind: ResourceKind;
  name: string;
  namespace?: string;
  uid?: string;
  /** The object as it was listed, which saves reading it again unless it has changed since. */
  seen?: ObjectMetadata;
  /** The cluster created it for an object of this owner, so it has no owner labels of its own. */
  isGenerated?: boolean;
  /** It comes from `crds/` of a chart, and is never deleted. */
  isChartDefinition?: boolean;
}

export interface RemovalResult {
  /** `kept`: it remains on the cluster for the reason in `error`. */
  status: 'deleted' | 'skipped' | 'kept' | 'failed';
  /** The object before its deletion; absent when it was gone already, or was deleted as it was listed. */
  previous?: KubernetesObject;
  /** The cluster confirmed that the object is gone, not only being deleted. */
  isGone?: boolean;
  error?: ResourceError;
}

export const DELETING = 'The object is being deleted but not gone yet';

/** After so many conflicts with changes of others, an object is deleted whatever its resource version is. */
const MAX_ATTEMPTS = 5;

/** API groups whose kinds have no dependents that could outlive them. In the core group, a ReplicationController has pods. */
const WITHOUT_DEPENDENTS = /^(|policy|[a-z.]+\.k8s\.io)$/;

/** Deletes objects of one owner, and never those of others. */
export class Removal {
  private readonly rules: DeletionRules;

  constructor(
    private readonly cluster: ClusterClient,
    owner: Owner,
    scope?: DeletionScope,
  ) {
    this.rules = new DeletionRules(cluster, owner, scope);
  }

  /**
   * Requests the deletion of an object if it still belongs to this owner and contains nothing of others.
   * @param options.foreground whether the object remains until its dependents, such as the pods of a workload, are gone. Default:
   *   true
   * @param options.before is awaited with the object right before the deletion request
   * @throws ClusterError for a failure of the cluster as a whole
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
    let isAnnounced = false;
    try {
      const asSeen = before ? undefined : await this.removeAsSeen(leaving, foreground);
      if (asSeen) return asSeen;
      for (let attempt = 1; ; attempt++) {
        previous = await this.cluster.lookup(kind, name, namespace);
        if (!previous || (leaving.uid && leaving.uid !== previous.metadata.uid))
          return { status: 'deleted', isGone: true };
        const kept = await this.rules.findReason(previous, leaving);
        if (kept) return { status: kept.reason === 'KEPT' ? 'kept' : 'skipped', error: kept };
        if (!isAnnounced) await before?.(previous);
        isAnnounced = true;
        // An object whose status changes all the time is deleted by its uid.
        const isExact = attempt < MAX_ATTEMPTS;
        const isGone = await this.request(leaving, previous, { foreground, isExact });
        if (isGone !== undefined) return { status: 'deleted', previous, isGone };
      }
    } catch (error) {
      if (!(error instanceof ClusterError) || isClusterFailure(error)) throw error;
      if (error.kind === 'notFound') return { status: 'deleted', isGone: true };
      const object = previous ?? { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name } };
      return { status: 'failed', previous, error: toResourceError(error, object) };
    }
  }

  /** @returns undefined when the object has changed since it was listed, or has to be inspected first */
  private async removeAsSeen(leaving: RemovalTarget, foreground: boolean): Promise<RemovalResult | undefined> {
    const { seen } = leaving;
    if (!seen?.metadata.uid || !seen.metadata.resourceVersion || DeletionRules.readsMore(seen)) return undefined;
    if (await this.rules.findReason(seen, leaving)) return undefined;
    const isGone = await this.request(leaving, seen, { foreground, isExact: true });
    return isGone === undefined ? undefined : { status: 'deleted', isGone };
  }

  /** @returns whether the cluster confirmed that the object is gone; undefined when it has changed since it was read */
  private async request(
    { kind, name, namespace }: RemovalTarget,
    read: ObjectMetadata,
    { foreground, isExact }: { foreground: boolean; isExact: boolean },
  ): Promise<boolean | undefined> {
    const { uid, resourceVersion } = read.metadata;
    try {
      const { isGone } = await this.cluster.delete(kind, name, namespace, {
        uid,
        ...(isExact && { resourceVersion }),
        propagation: propagationFor(kind, foreground),
      });
      if (isDefinition(read)) this.cluster.invalidateKinds();
      return isGone;
    } catch (error) {
      if (isExact && error instanceof ClusterError && error.kind === 'conflict') return undefined;
      throw error;
    }
  }

  /**
   * Waits until the object is gone; returns an error that says what blocks the deletion.
   * @param onWaiting is called with the blocking reason each time it changes
   */
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
      message = describeDeletion(last);
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

/** What an object that is being deleted waits for. */
export const describeDeletion = (object: ObjectMetadata): string => [DELETING, ...finalizersOf(object)].join('; ');

/** The names of the finalizers; for a namespace, also the conditions that report what could not be deleted. */
function finalizersOf(object: ObjectMetadata & { status?: unknown }): string[] {
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
