import type { ClusterClient } from '../clusters/cluster-client.js';
import { ClusterError } from '../clusters/cluster-error.js';
import {
  isCustomResourceDefinition,
  isNamespace,
  type KubernetesObject,
  type ObjectReference,
} from '../clusters/kubernetes-object.js';
import { ContainedObjects, ContentsUnknown } from '../deletion/contained-objects.js';
import { GONE_TIMEOUT_MS, type TerminatingObject, waitUntilGone } from './wait-until-gone.js';
import { type ControllerOwner, isOwned } from './controller-owner.js';

/** Removes the objects of one owner from a cluster. */
export class ControllerRemoval {
  constructor(
    private readonly client: ClusterClient,
    private readonly owner: ControllerOwner,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Deletes the objects that still belong to the owner, in reverse order, and waits until they are gone.
   * Namespaces and CustomResourceDefinitions that others use remain.
   * @throws AppError CONTROLLER_NOT_REMOVED when an object is not gone in time
   * @throws ClusterError
   */
  async remove(references: readonly ObjectReference[]): Promise<void> {
    const removed: TerminatingObject[] = [];
    const end = performance.now() + GONE_TIMEOUT_MS;
    // Check namespaces and definitions for other objects after everything else is gone.
    for (const isLast of [false, true]) {
      for (const reference of [...references].reverse().filter((one) => isContainer(one) === isLast)) {
        const leaving = await this.delete(reference);
        if (leaving) removed.push(leaving);
      }
      for (const one of removed) await waitUntilGone(this.client, one, end, this.signal);
    }
  }

  private async delete(reference: ObjectReference): Promise<TerminatingObject | undefined> {
    const kind = await this.client.findKind(reference.apiVersion, reference.kind);
    const live = kind && (await this.client.lookup(kind, reference.name, reference.namespace, this.signal));
    if (!kind || !live || !isOwned(this.owner, live) || (await this.isInUse(live))) return undefined;
    const { uid } = live.metadata;
    const propagation = kind.group === 'apps' || kind.group === 'batch' ? 'Foreground' : 'Background';
    await this.client
      .delete(kind, reference.name, reference.namespace, { uid, propagation, signal: this.signal })
      .catch((error: unknown) => {
        if (!(error instanceof ClusterError) || (error.kind !== 'notFound' && error.kind !== 'conflict')) throw error;
      });
    if (isCustomResourceDefinition(reference)) this.client.invalidateKinds();
    return { kind, name: reference.name, namespace: reference.namespace, uid };
  }

  /** Reports whether deleting it would delete objects of others; also true when that is unknown. */
  private async isInUse(object: KubernetesObject): Promise<boolean> {
    if (!isContainer(object)) return false;
    try {
      const contained = new ContainedObjects(this.client, this.signal);
      const contents = await contained.list(object);
      return (await contained.findForeign(contents, (one) => isOwned(this.owner, one))).length > 0;
    } catch (error) {
      if (error instanceof ContentsUnknown) return true;
      throw error;
    }
  }
}

/** Kinds that may contain objects of others. */
const isContainer = (one: { apiVersion: string; kind: string }): boolean =>
  isNamespace(one) || isCustomResourceDefinition(one);
