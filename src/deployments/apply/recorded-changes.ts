import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { findAppliedFields, type Owner } from '../plan/owner.js';
import { type AppliedChange, changeKey, type ChangeJournal, toRecordedObject } from './applied-change.js';
import { isUnmade } from './unmade-changes.js';

/**
 * The changes that a run has recorded, by resource, in this attempt or earlier ones. A recorded change was made, unless the worker
 * was stopped before it.
 */
export class RecordedChanges {
  private readonly byKey: Map<string, AppliedChange>;
  /** Those that are recorded and that nobody has begun to make. */
  private readonly announced = new Map<string, AppliedChange>();

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

  /**
   * Records changes that are about to be made, in one write; `add` begins each of them. What an earlier attempt announced and did not
   * make is recorded anew, because others may have changed the object since.
   */
  async announce(changes: AppliedChange[], owner: Owner): Promise<void> {
    const outdated = changes.flatMap((change) => {
      const recorded = this.byKey.get(changeKey(change));
      return recorded && isUnmade(recorded, change.previous, owner) ? recorded : [];
    });
    await this.withdraw(...outdated);
    const added = changes.filter((change) => !this.byKey.has(changeKey(change)));
    await this.journal.record(added);
    for (const change of added) this.announced.set(changeKey(change), change);
  }

  /** Withdraws what was announced and not begun. */
  async withdrawAnnounced(): Promise<void> {
    await this.journal.withdraw([...this.announced.values()]);
    this.announced.clear();
  }

  /** @returns the change; undefined when the resource has a recorded change already, whose previous state is the one to restore */
  async add(change: AppliedChange): Promise<AppliedChange | undefined> {
    const key = changeKey(change);
    if (this.byKey.has(key)) return undefined;
    const announced = this.announced.get(key);
    this.announced.delete(key);
    const isAnnounced = announced?.action === change.action;
    if (announced && !isAnnounced) await this.journal.withdraw([announced]);
    const recorded = isAnnounced ? announced : change;
    if (!isAnnounced) await this.journal.record([change]);
    this.byKey.set(key, recorded);
    return recorded;
  }

  async withdraw(...changes: AppliedChange[]): Promise<void> {
    await this.journal.withdraw(changes);
    for (const change of changes) this.byKey.delete(changeKey(change));
  }

  /** The object as it is recorded: in the version in which it was last applied, because its `managedFields` refer to that version. */
  async describe(kind: ResourceKind, live: KubernetesObject, takes?: boolean): Promise<KubernetesObject> {
    const apiVersion = findAppliedFields(live)?.apiVersion ?? live.apiVersion;
    const then = apiVersion === live.apiVersion ? undefined : await this.cluster.findKind(apiVersion, live.kind);
    const applied = then && (await this.cluster.lookup(then, live.metadata.name, live.metadata.namespace));
    return toRecordedObject(kind, applied ?? live, takes);
  }
}
