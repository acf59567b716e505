import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { findAppliedFields } from '../plan/owner.js';
import { type AppliedChange, changeKey, type ChangeJournal, toRecordedObject } from './applied-change.js';

/**
 * The changes that a run has recorded, by resource, in this attempt or earlier ones. A recorded change was made, unless the worker
 * was killed before it.
 */
export class RecordedChanges {
  private readonly byKey: Map<string, AppliedChange>;

  constructor(
    private readonly cluster: ClusterClient,
    private readonly journal: ChangeJournal,
  ) {
    this.byKey = new Map(journal.changes.filter(({ hook }) => !hook).map((change) => [changeKey(change), change]));
  }

  has(target: Pick<AppliedChange, 'kind' | 'name' | 'namespace'>): boolean {
    const { kind, name, namespace } = target;
    return this.byKey.has(changeKey({ kind, name, namespace }));
  }

  /** @returns the change; undefined when the resource has a recorded change already, whose previous state is the one to restore */
  async add(change: AppliedChange): Promise<AppliedChange | undefined> {
    if (this.byKey.has(changeKey(change))) return undefined;
    await this.journal.record([change]);
    this.byKey.set(changeKey(change), change);
    return change;
  }

  async withdraw(change: AppliedChange): Promise<void> {
    await this.journal.withdraw(change);
    this.byKey.delete(changeKey(change));
  }

  /** The object as it is recorded: in the version in which it was last applied, because its `managedFields` refer to that version. */
  async describe(kind: ResourceKind, live: KubernetesObject, takes?: boolean): Promise<KubernetesObject> {
    const apiVersion = findAppliedFields(live)?.apiVersion ?? live.apiVersion;
    const then = apiVersion === live.apiVersion ? undefined : await this.cluster.findKind(apiVersion, live.kind);
    const applied = then && (await this.cluster.lookup(then, live.metadata.name, live.metadata.namespace));
    return toRecordedObject(kind, applied ?? live, takes);
  }
}
