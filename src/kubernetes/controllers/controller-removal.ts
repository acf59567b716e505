import type { ClusterClient } from '../clusters/cluster-client.js';
import { ClusterError } from '../clusters/cluster-error.js';
import type { ResourceKind } from '../clusters/discovery.js';
import {
  isCustomResourceDefinition,
  isNamespace,
  type KubernetesObject,
  type ObjectMetadata,
  type ObjectReference,
} from '../clusters/kubernetes-object.js';
import { isSystemKind, isSystemObject } from '../clusters/system-objects.js';
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
    try {
      if (isNamespace(object)) return await this.holdsOthers(object.metadata.name);
      return isCustomResourceDefinition(object) && (await this.hasInstances(object));
    } catch (error) {
      if (error instanceof ClusterError && error.kind === 'forbidden') return true;
      throw error;
    }
  }

  private async holdsOthers(namespace: string): Promise<boolean> {
    const kinds = (await this.client.listKinds()).filter(
      ({ namespaced, preferred, verbs, kind }) =>
        namespaced && preferred && verbs.includes('list') && verbs.includes('delete') && !isSystemKind(kind),
    );
    for (const kind of kinds) {
      const listed = await this.list(kind, namespace);
      const others = listed.filter(
        ({ metadata }) => !metadata.ownerReferences?.length && !isSystemObject({ kind: kind.kind, metadata }),
      );
      if (others.length > 0) return true;
    }
    return false;
  }

  private async hasInstances({ spec }: KubernetesObject): Promise<boolean> {
    const { group, names } = spec as { group?: string; names?: { kind?: string } };
    const kinds = (await this.client.listKinds()).filter((one) => one.group === group && one.kind === names?.kind);
    for (const kind of kinds) if ((await this.list(kind)).length > 0) return true;
    return false;
  }

  private async list(kind: ResourceKind, namespace?: string): Promise<ObjectMetadata[]> {
    try {
      return await this.client.listMetadata(kind, { namespace, signal: this.signal });
    } catch (error) {
      // The kind was removed after the discovery.
      if (error instanceof ClusterError && error.kind === 'notFound') return [];
      throw error;
    }
  }
}

/** Kinds that may contain objects of others. */
const isContainer = (reference: ObjectReference): boolean =>
  isNamespace(reference) || isCustomResourceDefinition(reference);
