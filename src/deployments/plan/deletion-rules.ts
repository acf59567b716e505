import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import {
  describeObject,
  isNamespace,
  type KubernetesObject,
  type ObjectMetadata,
} from '../../kubernetes/clusters/kubernetes-object.js';
import { CascadingDeletion } from '../../kubernetes/deletion/cascading-deletion.js';
import { ContainedObjects, ContentsUnknown } from '../../kubernetes/deletion/contained-objects.js';
import { ClaimUsers } from './claim-users.js';
import { isDefinition } from './definitions.js';
import { findKeepReason, isVolume, isVolumeClaim, type KeepOptions } from './kept-objects.js';
import { isFreeFor, isOwnedBy, type Owner } from './owner.js';
import { type PlanItem } from './plan-item.js';
import { type ResourceError } from './planned-resource.js';
import { isClusterFailure, toResourceError } from './resource-error.js';

const SYSTEM_NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** Several releases may use such a definition, and deleting it deletes all objects of its kind. */
export const KEPT_DEFINITION: ResourceError = {
  reason: 'KEPT',
  detail: 'It is kept because definitions from crds/ of a chart belong to no release',
};

export interface DeletionScope {
  /** Options for objects that are kept although the owner has them; omit it to delete all, as when undoing. */
  keep?: KeepOptions;
  /** Uids of the other objects that the same operation is going to delete. */
  leaving?: ReadonlySet<string>;
  /** Uids of the volume claims that the cluster created for objects of the owner, which carry no labels of it. */
  generated?: ReadonlySet<string>;
}

export interface TriedDeletion {
  /** False when the cluster could not try it. */
  verified: boolean;
  warnings: string[];
  /** Why the cluster refuses it. */
  error?: ResourceError;
}

/** Decides which objects an operation may delete: only those of its owner, and only where nothing else is lost with them. */
export class DeletionRules {
  private readonly claimUsers: ClaimUsers;

  constructor(
    private readonly cluster: ClusterClient,
    private readonly owner: Owner,
    private readonly scope: DeletionScope = {},
  ) {
    this.claimUsers = new ClaimUsers(cluster);
  }

  /** Whether the rules need more than the metadata of the object. */
  static readsMore(object: ObjectMetadata): boolean {
    return isNamespace(object) || isDefinition(object) || isVolume(object) || isVolumeClaim(object);
  }

  /** Why the object must not be deleted; undefined when it may be, or is being deleted already. @throws ClusterError */
  async findReason(
    object: ObjectMetadata,
    { isGenerated, isChartDefinition }: Pick<PlanItem, 'isGenerated' | 'isChartDefinition'> = {},
  ): Promise<ResourceError | undefined> {
    if (isChartDefinition) return KEPT_DEFINITION;
    if (!this.isOwn(object, isGenerated))
      return { reason: 'NOT_OWNED', detail: 'The object no longer belongs to this deployment' };
    if (object.metadata.deletionTimestamp) return undefined;
    const cascade = new CascadingDeletion(this.cluster, this.scope.leaving);
    const reason = await this.findReasonToStay(object, cascade);
    return reason && !(await cascade.goesWithOwners(object)) ? reason : undefined;
  }

  /** As `findReason`, for an object that is created again: the objects of this owner in it would be lost, too. */
  async findReasonNotToReplace(object: ObjectMetadata): Promise<string | undefined> {
    if (isNamespace(object) || isDefinition(object)) return 'What it holds would be deleted with it';
    return (await this.findReason(object))?.detail;
  }

  /** A dry run of the deletion. @throws ClusterError for a failure of the cluster as a whole */
  async tryDeletion(kind: ResourceKind, { metadata }: ObjectMetadata, signal?: AbortSignal): Promise<TriedDeletion> {
    const { name, namespace, uid } = metadata;
    try {
      await this.cluster.delete(kind, name, namespace, { uid, dryRun: true, signal });
      return { verified: true, warnings: [] };
    } catch (error) {
      if (!(error instanceof ClusterError) || isClusterFailure(error)) throw error;
      if (error.kind === 'notFound') return { verified: true, warnings: [] };
      if (/does not support dry run/.test(error.message)) return { verified: false, warnings: [error.message] };
      const object = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name } };
      return { verified: true, warnings: [], error: toResourceError(error, object) };
    }
  }

  private async findReasonToStay(
    object: ObjectMetadata,
    cascade: CascadingDeletion,
  ): Promise<ResourceError | undefined> {
    const kept = this.scope.keep && findKeepReason(object, this.scope.keep);
    if (kept !== undefined) return { reason: 'KEPT', detail: kept };
    if (isVolume(object)) return this.findBoundClaim(object, cascade);
    if (isVolumeClaim(object)) return this.findUser(object, cascade);
    return isNamespace(object) || isDefinition(object) ? this.findContentsToKeep(object) : undefined;
  }

  private isOwn(object: ObjectMetadata, isGenerated = this.isGenerated(object)): boolean {
    return isOwnedBy(this.owner, object) || (isGenerated && isFreeFor(this.owner, object));
  }

  private isGenerated({ metadata: { uid } }: ObjectMetadata): boolean {
    return uid !== undefined && this.scope.generated?.has(uid) === true;
  }

  /** A volume that is deleted while a claim is bound to it waits for the claim, and cannot be restored. */
  private async findBoundClaim(volume: ObjectMetadata, cascade: CascadingDeletion): Promise<ResourceError | undefined> {
    const { name } = volume.metadata;
    const { claimRef } = ((await this.readWhole(volume)).spec ?? {}) as VolumeSpec;
    const kind = await this.cluster.findKind('v1', 'PersistentVolumeClaim');
    if (!claimRef?.name || !claimRef.namespace || !kind) return undefined;
    const detail = `It is kept because the volume claim ${claimRef.namespace}/${claimRef.name} is bound to it`;
    try {
      const claim = await this.cluster.lookup(kind, claimRef.name, claimRef.namespace);
      const isBound =
        claim && (claim.metadata.uid === claimRef.uid || (claim.spec as ClaimSpec | undefined)?.volumeName === name);
      return isBound && !(await cascade.includes(claim)) ? { reason: 'KEPT', detail } : undefined;
    } catch (error) {
      // A claim that cannot be read may be bound.
      if (error instanceof ClusterError && error.kind === 'forbidden') return { reason: 'KEPT', detail };
      throw error;
    }
  }

  /**
   * A claim that is deleted while a pod uses it waits for the pod, and cannot be restored. Without permission to list pods, the cluster
   * itself protects a claim that is in use.
   */
  private async findUser(claim: ObjectMetadata, cascade: CascadingDeletion): Promise<ResourceError | undefined> {
    for (const user of await this.claimUsers.find(claim))
      if (!(await cascade.includes(user)))
        return { reason: 'KEPT', detail: `It is kept because the ${nameOfUser(user)} uses it` };
    return undefined;
  }

  /** Deleting a namespace or a CustomResourceDefinition also deletes its contents, including those of others. */
  private async findContentsToKeep(holder: ObjectMetadata): Promise<ResourceError | undefined> {
    const { name } = holder.metadata;
    const holdsNamespace = isNamespace(holder);
    if (holdsNamespace && SYSTEM_NAMESPACES.includes(name))
      return { reason: 'FOREIGN_CONTENT', detail: 'The namespace belongs to the cluster itself' };
    const contained = new ContainedObjects(this.cluster);
    let contents: ObjectMetadata[];
    try {
      contents = await contained.list(holder);
    } catch (error) {
      if (!(error instanceof ContentsUnknown)) throw error;
      const detail = `It is kept because not all that it ${holdsNamespace ? 'contains' : 'defines'} can be listed: ${error.message}`;
      return { reason: 'FOREIGN_CONTENT', detail };
    }
    const own = contents.filter((one) => this.isOwn(one));
    const foreign = await contained.findForeign(contents, (one) => this.isOwn(one), this.scope.leaving);
    if (foreign.length > 0)
      return {
        reason: 'FOREIGN_CONTENT',
        detail: `The ${holdsNamespace ? 'namespace contains' : 'definition is used by'} objects that this deployment does not own: ${describeObjects(foreign)}`,
      };
    const { keep } = this.scope;
    const kept = keep ? own.filter((one) => findKeepReason(one, keep) !== undefined) : [];
    return kept.length > 0
      ? {
          reason: 'KEPT',
          detail: `It is kept because it ${holdsNamespace ? 'contains' : 'defines the kind of'} objects that are kept: ${describeObjects(kept)}`,
        }
      : undefined;
  }

  /** Listed metadata has no `spec`. */
  private async readWhole(object: ObjectMetadata): Promise<KubernetesObject> {
    if ('spec' in object) return object;
    const kind = await this.cluster.findKind(object.apiVersion, object.kind);
    const whole = kind && (await this.cluster.lookup(kind, object.metadata.name, object.metadata.namespace));
    return whole ?? object;
  }
}

interface VolumeSpec {
  claimRef?: { namespace?: string; name?: string; uid?: string };
}

interface ClaimSpec {
  volumeName?: string;
}

const nameOfUser = ({ kind, metadata: { name } }: ObjectMetadata): string => `${kind === 'Pod' ? 'pod' : kind} ${name}`;

function describeObjects(objects: ObjectMetadata[]): string {
  const names = objects.slice(0, 5).map(({ kind, metadata }) => describeObject({ ...metadata, kind }));
  return objects.length > 5 ? `${names.join(', ')} and ${objects.length - 5} more` : names.join(', ');
}
