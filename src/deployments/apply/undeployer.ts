import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { type ObjectReference } from '../../kubernetes/clusters/kubernetes-object.js';
import { boundedParallel } from '../plan/bounded-parallel.js';
import { kindRank } from '../plan/kind-order.js';
import { type KeepOptions } from '../plan/kept-objects.js';
import { OwnedObjects, type OwnedObject } from '../plan/owned-objects.js';
import { type Owner } from '../plan/owner.js';
import { type PlannedResource, type ResourceError } from '../plan/planned-resource.js';
import { plannedRemoval } from '../plan/prunes.js';
import { findMadeClaims } from '../plan/made-claims.js';
import { type AppliedChange, changeKey, type ChangeJournal } from './applied-change.js';
import { type PlannedHooks } from '../plan/hook-plans.js';
import { HookRuns } from './hook-runs.js';
import { Removal } from './removal.js';
import { type DeploymentResult, type RunOptions } from './resource-result.js';
import { ResourceResults } from './results.js';
import { RunClock } from './run-clock.js';
import { ResourceFailed, toResourceError, toRunEnd } from './run-end.js';
import { countOf } from '../../core/errors/wording.js';

export interface UndeployOptions extends RunOptions, KeepOptions {
  /** What records say was deployed: looked for one by one where the credential may not list. */
  previous?: ObjectReference[];
  /** Of a chart, run before and after. */
  hooks?: PlannedHooks;
  /** For each hook; 5 minutes without it. */
  hookTimeoutMs?: number;
  /** Identifies the undeployment, so that hooks are not run again by the replica that resumes it. */
  run?: string;
}

interface RemovalItem extends OwnedObject {
  planned: PlannedResource;
  /** A volume claim that a StatefulSet has made. */
  isMade?: boolean;
}

interface RemovalItems {
  found: RemovalItem[];
  /** What records speak of and this server cannot even read. */
  unread: { planned: PlannedResource; error: ResourceError }[];
}

const CONCURRENCY = 6;

/** What hooks may need to the last: their namespace, and definitions of kinds. */
const NAMESPACE_RANK = kindRank({ group: '', kind: 'Namespace' });

/** Removes everything of an owner from one cluster, and nothing else. */
export class Undeployer {
  constructor(
    private readonly cluster: ClusterClient,
    private readonly journal: ChangeJournal,
  ) {}

  /** What would be deleted, in the order of deletion. Every kind of the cluster is searched, so that nothing stays behind. */
  async plan(owner: Owner, options: Pick<UndeployOptions, 'previous' | 'signal'> = {}): Promise<PlannedResource[]> {
    const { found, unread } = await this.findRemovalItems(owner, options);
    return [...found, ...unread].map(({ planned }) => planned);
  }

  /**
   * Deletes in reverse order, kind by kind, each kind once the one before is gone: what serves a kind outlives its objects.
   * Namespaces and definitions that hold what others made are left and reported as `skipped`, volume claims and what is marked for
   * it as `kept`. What an earlier attempt has deleted
   * is reported as well.
   * @throws ClusterError when the cluster cannot be searched, or shows nothing at all to this credential; all later failures are in the result
   */
  async undeploy(owner: Owner, options: UndeployOptions = {}): Promise<DeploymentResult> {
    const { found, unread } = await this.findRemovalItems(owner, options);
    const gone = await this.record(found);
    const { before = [], after = [] } = options.hooks ?? {};
    const results = new ResourceResults([...before, ...gone, ...found, ...unread, ...after], options.onProgress);
    for (const one of gone) await results.set(one, { status: 'deleted' });
    const clock = new RunClock(options.timeoutMs ?? 300_000, options.signal);
    const removal = new Removal(this.cluster, owner, { deleteVolumes: options.deleteVolumes });
    const hooks = new HookRuns(this.cluster, owner, clock, this.journal, results, {
      run: options.run ?? '',
      timeoutMs: options.hookTimeoutMs ?? 300_000,
      isLenient: true,
    });
    const ranks = [...new Set(found.map(({ kind }) => kindRank(kind)))];
    const remove = async (rank: number) => {
      const tier = found.filter(({ kind }) => kindRank(kind) === rank);
      await boundedParallel(tier, CONCURRENCY, (departure) => removeItem(departure, removal, clock, results));
    };
    try {
      for (const one of unread) await results.set(one, { status: 'failed', error: one.error });
      await hooks.run(before);
      for (const rank of ranks.filter((one) => one > NAMESPACE_RANK)) await remove(rank);
      if (!results.anyFailed) await hooks.run(after);
      await hooks.removeAll();
      // What is in them of an API that does not answer, nobody knows, and the cluster could not delete it.
      if (!unread.some(({ error }) => error.reason === 'API_UNAVAILABLE'))
        for (const rank of ranks.filter((one) => one <= NAMESPACE_RANK)) await remove(rank);
      if (results.anyFailed) throw new ResourceFailed();
      return { status: 'undeployed', resources: results.all };
    } catch (error) {
      const { cancelled, status, detail, remedy } = toRunEnd(error, () => results.summary());
      return {
        status: cancelled ? 'cancelled' : 'failed',
        resources: results.all,
        failure: { status, detail, remedy },
      };
    }
  }

  /** Writes down what is to be deleted. @returns what an earlier attempt has written down and is gone by now */
  private async record(found: RemovalItem[]): Promise<{ planned: PlannedResource }[]> {
    const changes = found.map(({ kind, object }): AppliedChange => {
      const { name, namespace } = object.metadata;
      return { action: 'delete', kind, name, namespace };
    });
    const recorded = this.journal.changes.filter(({ hook }) => !hook);
    const [standing, earlier] = [new Set(changes.map(changeKey)), new Set(recorded.map(changeKey))];
    const gone = recorded.filter((change) => !standing.has(changeKey(change)));
    await this.journal.record(changes.filter((change) => !earlier.has(changeKey(change))));
    return gone.map((change) => ({ planned: plannedRemoval('delete', change.kind, change) }));
  }

  private async findRemovalItems(
    owner: Owner,
    { previous, signal }: Pick<UndeployOptions, 'previous' | 'signal'>,
  ): Promise<RemovalItems> {
    const inventory = await new OwnedObjects(this.cluster).find(owner, 'everywhere', previous ?? [], signal);
    const { objects, unseen, unread } = inventory;
    if (objects.length === 0 && unseen.length > 0 && !previous?.length) {
      throw new ClusterError(
        'forbidden',
        `The credential may not list ${countOf(unseen.length, 'kind')}, so nothing of this deployment can be found`,
      );
    }
    const found = [...objects, ...(await this.findMadeClaims(objects, signal))]
      .map((one): RemovalItem => ({ ...one, planned: plannedRemoval('delete', one.kind, one.object.metadata) }))
      .sort((a, b) => kindRank(b.kind) - kindRank(a.kind));
    return {
      found,
      unread: unread.map(({ reference, error }) => ({
        planned: plannedRemoval('delete', reference, reference),
        error,
      })),
    };
  }

  private async findMadeClaims(objects: OwnedObject[], signal?: AbortSignal) {
    const owned = new Set(objects.map(({ object }) => object.metadata.uid));
    const made = await boundedParallel(
      objects.filter(({ object }) => object.kind === 'StatefulSet'),
      CONCURRENCY,
      ({ kind, object }) => findMadeClaims(this.cluster, kind, object.metadata, signal),
    );
    return made
      .flat()
      .filter(({ object }) => !owned.has(object.metadata.uid))
      .map((claim) => ({ ...claim, isMade: true }));
  }
}

async function removeItem(
  departure: RemovalItem,
  removal: Removal,
  clock: RunClock,
  results: ResourceResults,
): Promise<void> {
  clock.check();
  const { name, namespace, uid } = departure.object.metadata;
  const { kind, object, isMade } = departure;
  const leaving = { kind, name, namespace, uid, isMade, seen: object };
  try {
    const { status, error, isGone } = await removal.remove(leaving);
    if (status === 'kept') return await results.set(departure, { status, message: error?.detail });
    const onWaiting = (message: string): Promise<void> => results.set(departure, { status: 'waiting', message });
    const stuck =
      status === 'deleted' && !isGone
        ? await removal.waitUntilGone(leaving, uid, clock, Infinity, onWaiting)
        : undefined;
    await results.set(departure, { status: stuck ? 'failed' : status, error: error ?? stuck });
  } catch (error) {
    await results.set(departure, { status: 'failed', error: toResourceError(toRunEnd(error, () => '')) });
    throw error;
  }
}
