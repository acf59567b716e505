import { type ClusterClient } from '../clusters/cluster-client.js';
import { ClusterError } from '../clusters/cluster-error.js';
import { type ObjectMetadata } from '../clusters/kubernetes-object.js';
import { boundedParallel } from '../../core/bounded-parallel.js';

type OwnerReference = NonNullable<ObjectMetadata['metadata']['ownerReferences']>[number];

const CONCURRENCY = 8;
/** Maximum length of a chain of owners, such as pod, replica set, deployment. */
const MAX_DEPTH = 8;

/**
 * What is deleted with an object: besides what is being deleted, or is deleted by the same operation, the objects that the garbage
 * collector deletes because all of their owners are gone.
 */
export class CascadingDeletion {
  private readonly owners = new Map<string, boolean>();
  private readonly known: ReadonlyMap<string | undefined, ObjectMetadata>;

  /**
   * @param leaving uids of the objects that the operation deletes
   * @param known objects that need not be read
   */
  constructor(
    private readonly cluster: ClusterClient,
    private readonly leaving: ReadonlySet<string> = new Set(),
    known: ObjectMetadata[] = [],
  ) {
    this.known = new Map(known.map((object) => [object.metadata.uid, object]));
  }

  async includes(object: ObjectMetadata, depth = 0): Promise<boolean> {
    const { uid, deletionTimestamp } = object.metadata;
    if (deletionTimestamp || (uid && this.leaving.has(uid))) return true;
    return this.goesWithOwners(object, depth);
  }

  async goesWithOwners({ metadata }: ObjectMetadata, depth = 0): Promise<boolean> {
    const { ownerReferences: references, namespace } = metadata;
    if (!references?.length || depth >= MAX_DEPTH) return false;
    for (const reference of references) if (!(await this.isLeaving(reference, namespace, depth + 1))) return false;
    return true;
  }

  /** The first of these objects that is found to stay, if any. */
  async findStaying(objects: ObjectMetadata[]): Promise<ObjectMetadata[]> {
    const staying: ObjectMetadata[] = [];
    await boundedParallel(objects, CONCURRENCY, async (object) => {
      if (staying.length === 0 && !(await this.includes(object))) staying.push(object);
    });
    return staying;
  }

  /** Only results are kept, because objects that own each other would wait for each other for ever. */
  private async isLeaving(reference: OwnerReference, namespace: string | undefined, depth: number): Promise<boolean> {
    const key = `${reference.uid} ${namespace ?? ''}`;
    const known = this.owners.get(key) ?? (await this.decide(reference, namespace, depth));
    this.owners.set(key, known);
    return known;
  }

  /** An owner that cannot be read stays. */
  private async decide(
    { apiVersion, kind: name, name: owner, uid }: OwnerReference,
    namespace: string | undefined,
    depth: number,
  ): Promise<boolean> {
    if (this.leaving.has(uid)) return true;
    const seen = this.known.get(uid);
    if (seen) return this.includes(seen, depth);
    const kind = await this.cluster.findKind(apiVersion, name);
    if (!kind) return false;
    try {
      const live = await this.cluster.lookup(kind, owner, kind.namespaced ? namespace : undefined);
      return live?.metadata.uid !== uid || (await this.includes(live, depth));
    } catch (error) {
      if (error instanceof ClusterError && error.kind === 'forbidden') return false;
      throw error;
    }
  }
}
