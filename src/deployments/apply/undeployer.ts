import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { type KubernetesObject, type ObjectReference } from '../../kubernetes/clusters/kubernetes-object.js';
import { boundedParallel } from '../../core/bounded-parallel.js';
import { DesignSecrets } from '../plan/design-secrets.js';
import { deletionStage, kindRank, NAMESPACE_STAGE } from '../plan/kind-order.js';
import { findKeptEarlier, UNREADABLE } from '../plan/kept-earlier.js';
import { type KeepOptions, type KeptObject, toKeptObjects, uniqueObjects } from '../plan/kept-objects.js';
import { OwnedObjects, type OwnedObject } from '../plan/owned-objects.js';
import { type Owner } from '../plan/owner.js';
import { type PlannedResource, type ResourceError } from '../plan/planned-resource.js';
import { plannedRemoval } from '../plan/prunes.js';
import { type KeptRecords, StatefulSetClaims } from '../plan/stateful-set-claims.js';
import { type AppliedChange, changeKey, type ChangeJournal } from './applied-change.js';
import { type PlannedHooks } from '../plan/hook-plans.js';
import { HookRuns } from './hook-runs.js';
import { RecordedChanges } from './recorded-changes.js';
import { DELETING, Removal, type RemovalTarget } from './removal.js';
import { DeletionWait } from './deletion-wait.js';
import { RemainingPods } from './remaining-pods.js';
import { type DeploymentResult, type RunOptions } from './resource-result.js';
import { ResourceResults } from './results.js';
import { RunClock } from './run-clock.js';
import { ResourceFailed, toResourceError } from './run-end.js';
import { countOf } from '../../core/errors/wording.js';

export interface UndeployOptions extends RunOptions, KeepOptions, KeptRecords {
  /** The objects that are recorded as deployed; each is read by name if the credential may not list its kind. */
  previous?: ObjectReference[];
  /** The objects of the deployed version as they are written, whose secret values are in no message. */
  written?: object[];
  /** The definitions from `crds/` of the deployed chart, which are never deleted. */
  chartDefinitions?: ObjectReference[];
  /** Records the objects as they are, so that they can be restored. Default: false. */
  undoable?: boolean;
  /** Is awaited before the first deletion, with the objects that no label identifies later. */
  onFound?: (unlabelled: KeptObject[]) => Promise<void>;
  /** The hooks of a chart that run before and after. */
  hooks?: PlannedHooks;
  /** Timeout of each hook. Default: 5 minutes. */
  hookTimeoutMs?: number;
  /** Identifies the undeployment, so that a replica that resumes it does not run hooks again. */
  run?: string;
}

interface RemovalItem extends OwnedObject {
  planned: PlannedResource;
  /** More than its metadata was read. */
  isWhole?: boolean;
  /** A volume claim that a StatefulSet created. */
  isGenerated?: boolean;
  isChartDefinition?: boolean;
}

/** A resource that an earlier attempt deleted. */
type GoneItem = AppliedChange & { planned: PlannedResource };

interface RemovalItems {
  found: RemovalItem[];
  /** Recorded objects that this server may not read. */
  unreadable: { planned: PlannedResource; error: ResourceError }[];
  /** What earlier deployments left, and cannot be read now. */
  keptUnread: { planned: PlannedResource; kept: KeptObject }[];
}

const CONCURRENCY = 6;

/** Deletes all objects of an owner from one cluster, and no others. */
export class Undeployer {
  constructor(
    private readonly cluster: ClusterClient,
    private readonly journal: ChangeJournal,
  ) {}

  /** The objects that would be deleted, in the order of deletion. Searches all kinds of the cluster, so that no object is missed. */
  async plan(owner: Owner, options: Pick<UndeployOptions, 'previous' | 'signal'> = {}): Promise<PlannedResource[]> {
    const { found, unreadable, keptUnread } = await this.findRemovalItems(owner, options);
    return [...found, ...unreadable, ...keptUnread].map(({ planned }) => planned);
  }

  /**
   * Deletes in reverse order, in stages, each after the one before is gone, so that controllers outlive their objects.
   * Namespaces and CustomResourceDefinitions with contents of others are reported as `skipped`, volume claims and objects that are
   * marked to be kept as `kept`. Objects that an earlier attempt deleted are included in the result.
   * @throws ClusterError when the cluster cannot be searched, or the credential may list no kind; all later failures are in the
   *   result
   */
  async undeploy(owner: Owner, options: UndeployOptions = {}): Promise<DeploymentResult> {
    const { found, unreadable, keptUnread } = await this.findRemovalItems(owner, options);
    const unlabelled = toKeptObjects(found.map(({ object, ...rest }) => ({ ...rest, live: object })));
    await options.onFound?.(uniqueObjects([...unlabelled, ...keptUnread.map(({ kept }) => kept)]));
    const leaving = found.filter(({ isChartDefinition }) => !isChartDefinition);
    const gone = this.findGone(leaving);
    const standing = leaving.map(({ object }) => object);
    const pods = await RemainingPods.of(this.cluster, standing, gone);
    await this.record(leaving, pods, options);
    const { before = [], after = [] } = options.hooks ?? {};
    const all = [...before, ...gone, ...found, ...unreadable, ...keptUnread, ...after];
    const secrets = await DesignSecrets.of([...(options.written ?? []), ...found.map(({ object }) => object)]);
    const results = new ResourceResults(all, options.onProgress, secrets);
    for (const one of gone)
      await results.set(one, one.uids ? { status: 'deleting', message: DELETING } : { status: 'deleted' });
    for (const one of keptUnread) await results.set(one, { status: 'kept', message: UNREADABLE });
    const clock = new RunClock(options.timeoutMs ?? 300_000, options.signal);
    const generated = new Set(found.flatMap(({ object, isGenerated }) => (isGenerated && object.metadata.uid) || []));
    const removal = new Removal(this.cluster, owner, { keep: { deleteVolumes: options.deleteVolumes }, generated });
    const hooks = new HookRuns(this.cluster, owner, clock, this.journal, results, {
      run: options.run ?? '',
      timeoutMs: options.hookTimeoutMs ?? 300_000,
      isLenient: true,
    });
    const wait = new DeletionWait(this.cluster, owner, clock);
    const stages = [...new Set([...found, ...gone].map(({ kind }) => deletionStage(kind)))].sort((a, b) => b - a);
    const remove = async (stage: number) => {
      const isOfStage = ({ kind }: Pick<OwnedObject, 'kind'>) => deletionStage(kind) === stage;
      const leaving = found.filter(isOfStage);
      const waiting = gone
        .filter(isOfStage)
        .flatMap((item) => (item.uids ? [{ ...item, uid: item.uids[0], isGone: true, item }] : []));
      // A workload may have a new ReplicaSet.
      if (leaving.some(({ object }) => pods.includes(object.metadata.uid))) await pods.find();
      const requested = await boundedParallel(leaving, CONCURRENCY, async (item) => {
        clock.check();
        const inBackground = pods.includes(item.object.metadata.uid);
        const left = await requestRemoval(item, removal, results, inBackground);
        return left ? [{ ...toTarget(item), ...left, item }] : [];
      });
      const stuck = await wait.waitUntilGone([...waiting, ...requested.flat()], pods, {
        onWaiting: ({ item }, message) => results.set(item, { status: 'deleting', message }),
        onGone: ({ item }) => results.set(item, { status: 'deleted' }),
      });
      for (const [{ item }, error] of stuck) await results.set(item, { status: 'failed', error });
    };
    try {
      for (const one of unreadable) await results.set(one, { status: 'failed', error: one.error });
      await hooks.run(before);
      for (const stage of stages.filter((one) => one > NAMESPACE_STAGE)) await remove(stage);
      if (!results.anyFailed) await hooks.run(after);
      await hooks.removeAll();
      // Namespaces and definitions may be needed by the last hooks. If an API is unavailable, the contents of these objects are unknown and the cluster could not delete them.
      if (!unreadable.some(({ error }) => error.reason === 'API_UNAVAILABLE'))
        for (const stage of stages.filter((one) => one <= NAMESPACE_STAGE)) await remove(stage);
      if (results.anyFailed) {
        clock.check();
        throw new ResourceFailed();
      }
      return { status: 'undeployed', resources: results.all };
    } catch (error) {
      const { cancelled, status, detail, remedy } = results.endOf(error);
      return {
        status: cancelled ? 'cancelled' : 'failed',
        resources: results.all,
        failure: { status, detail, remedy },
      };
    }
  }

  /** The resources that an earlier attempt recorded and that are gone by now. */
  private findGone(found: RemovalItem[]): GoneItem[] {
    const standing = new Set(found.map(keyOf));
    return this.journal.changes
      .filter((change) => !change.hook && !standing.has(changeKey(change)))
      .map((change) => ({ ...change, planned: plannedRemoval('delete', change.kind, change) }));
  }

  /** Records the planned deletions. */
  private async record(
    found: RemovalItem[],
    pods: RemainingPods,
    { undoable, signal }: UndeployOptions,
  ): Promise<void> {
    const earlier = new Set(this.journal.changes.filter(({ hook }) => !hook).map(changeKey));
    const added = found.filter((one) => !earlier.has(keyOf(one)));
    const whole = undoable ? await this.describe(added, signal) : [];
    await this.journal.record(
      added.map(({ kind, object }, index): AppliedChange => {
        const previous = whole[index];
        const uids = pods.uidsOf(object.metadata.uid);
        const { name, namespace } = object.metadata;
        return { action: 'delete', kind, name, namespace, ...(previous && { previous }), ...(uids && { uids }) };
      }),
    );
  }

  /** The objects as they are recorded; undefined for one that is gone, or that the credential may not read. */
  private async describe(found: RemovalItem[], signal?: AbortSignal): Promise<(KubernetesObject | undefined)[]> {
    const recorded = new RecordedChanges(this.cluster, this.journal);
    return boundedParallel(found, CONCURRENCY, async ({ kind, object, isWhole }) => {
      const { name, namespace } = object.metadata;
      try {
        const whole = isWhole ? object : await this.cluster.lookup(kind, name, namespace, signal);
        return whole && (await recorded.describe(kind, whole));
      } catch (error) {
        if (error instanceof ClusterError && error.kind === 'forbidden') return undefined;
        throw error;
      }
    });
  }

  private async findRemovalItems(owner: Owner, options: UndeployOptions): Promise<RemovalItems> {
    const { previous, kept = [], chartDefinitions = [], undoable, signal } = options;
    const inventory = await new OwnedObjects(this.cluster).find(owner, 'everywhere', previous ?? [], {
      whole: undoable,
      signal,
    });
    const { objects, unlistable, unreadable } = inventory;
    if (objects.length === 0 && unlistable.length > 0 && !previous?.length) {
      throw new ClusterError(
        'forbidden',
        `The credential may not list ${countOf(unlistable.length, 'kind')}, so nothing of this deployment can be found`,
      );
    }
    const definitions = chartDefinitions.map((one) => ({ ...one, isChartDefinition: true }));
    const claims = await this.findClaims(objects, options);
    const listed = new Set([...objects, ...claims].map(({ object }) => object.metadata.uid));
    const others = kept.filter(({ uid }) => !uid || !listed.has(uid));
    const left = await findKeptEarlier(this.cluster, owner, [...others, ...definitions], signal);
    const earlier = left.found.map(({ live, ...rest }) => ({ object: live, ...rest }));
    const owned = objects.map((one) => ({ ...one, isWhole: undoable }));
    const byId = new Map([...owned, ...claims, ...earlier].map((one) => [one.object.metadata.uid, one]));
    const found = [...byId.values()]
      .map((one: Omit<RemovalItem, 'planned'>): RemovalItem => {
        const action = one.isChartDefinition ? 'unchanged' : 'delete';
        return { ...one, planned: plannedRemoval(action, one.kind, one.object.metadata) };
      })
      .sort((a, b) => kindRank(b.kind) - kindRank(a.kind));
    return {
      found,
      unreadable: unreadable.map(({ reference, error }) => ({
        planned: plannedRemoval('delete', reference, reference),
        error,
      })),
      keptUnread: left.unreadable.map((one) => ({ planned: plannedRemoval('unchanged', one, one), kept: one })),
    };
  }

  private async findClaims(objects: OwnedObject[], options: UndeployOptions) {
    const known = new StatefulSetClaims(this.cluster, options);
    const owned = new Set(objects.map(({ object }) => object.metadata.uid));
    const made = await boundedParallel(
      objects.filter(({ object }) => object.kind === 'StatefulSet'),
      CONCURRENCY,
      ({ kind, object }) =>
        options.undoable ? known.find(object, options.signal) : known.findByName(kind, object.metadata, options.signal),
    );
    return made
      .flat()
      .filter(({ object }) => !owned.has(object.metadata.uid))
      .map((claim) => ({ ...claim, isGenerated: true }));
  }
}

function keyOf({ kind, object }: RemovalItem): string {
  const { name, namespace } = object.metadata;
  return changeKey({ kind, name, namespace });
}

const toTarget = ({ kind, object, isGenerated, isChartDefinition }: RemovalItem): RemovalTarget => {
  const { name, namespace, uid } = object.metadata;
  return { kind, name, namespace, uid, isGenerated, isChartDefinition, seen: object };
};

/** @returns whether the object itself is gone; undefined when nothing of it has to be waited for */
async function requestRemoval(
  item: RemovalItem,
  removal: Removal,
  results: ResourceResults,
  inBackground: boolean,
): Promise<{ isGone: boolean } | undefined> {
  try {
    const { status, error, isGone = false } = await removal.remove(toTarget(item), { foreground: !inBackground });
    const isLeft = status === 'deleted' && (!isGone || inBackground);
    if (isLeft) await results.set(item, { status: 'deleting', message: DELETING });
    else if (status === 'kept') await results.set(item, { status, message: error?.detail });
    else await results.set(item, { status, error });
    return isLeft ? { isGone } : undefined;
  } catch (error) {
    await results.set(item, { status: 'failed', error: toResourceError(results.endOf(error)) });
    throw error;
  }
}
