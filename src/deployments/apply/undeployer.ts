import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { type ObjectReference } from '../../kubernetes/clusters/kubernetes-object.js';
import { boundedParallel } from '../plan/bounded-parallel.js';
import { kindRank } from '../plan/kind-order.js';
import { OwnedObjects, type OwnedObject } from '../plan/owned-objects.js';
import { type Owner } from '../plan/owner.js';
import { type PlannedResource } from '../plan/planned-resource.js';
import { plannedRemoval } from '../plan/planner.js';
import { type AppliedChange, changeKey, type ChangeJournal } from './applied-change.js';
import { Removal } from './removal.js';
import { type DeploymentResult, type RunOptions } from './resource-result.js';
import { ResourceResults } from './results.js';
import { RunClock } from './run-clock.js';
import { ResourceFailed, toResourceError, toRunEnd } from './run-end.js';
import { countOf } from '../../core/errors/wording.js';

export interface UndeployOptions extends RunOptions {
  /** What records say was deployed: looked for one by one where the credential may not list. */
  previous?: ObjectReference[];
}

interface RemovalItem extends OwnedObject {
  planned: PlannedResource;
}

interface RemovalItems {
  found: RemovalItem[];
  /** What records speak of and this server may not even read. */
  unread: { planned: PlannedResource }[];
}

const CONCURRENCY = 6;

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
   * Namespaces and definitions that hold what others made are left and reported as `skipped`. What an earlier attempt has deleted
   * is reported as well.
   * @throws ClusterError when the cluster cannot be searched, or shows nothing at all to this credential; all later failures are in the result
   */
  async undeploy(owner: Owner, options: UndeployOptions = {}): Promise<DeploymentResult> {
    const { found, unread } = await this.findRemovalItems(owner, options);
    const gone = await this.record(found);
    const results = new ResourceResults([...gone, ...found, ...unread], options.onProgress);
    for (const one of gone) await results.set(one, { status: 'deleted' });
    const clock = new RunClock(options.timeoutMs ?? 300_000, options.signal);
    const removal = new Removal(this.cluster, owner);
    const ranks = new Set(found.map(({ kind }) => kindRank(kind)));
    try {
      const forbidden = {
        reason: 'FORBIDDEN',
        detail: 'The credential may not read the object, so it may still be there',
      };
      for (const one of unread) await results.set(one, { status: 'failed', error: forbidden });
      for (const rank of ranks) {
        const tier = found.filter(({ kind }) => kindRank(kind) === rank);
        await boundedParallel(tier, CONCURRENCY, (departure) => removeItem(departure, removal, clock, results));
      }
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
    const [standing, earlier] = [new Set(changes.map(changeKey)), new Set(this.journal.changes.map(changeKey))];
    const gone = this.journal.changes.filter((change) => !standing.has(changeKey(change)));
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
    const found = objects
      .map((one) => ({ ...one, planned: plannedRemoval('delete', one.kind, one.object.metadata) }))
      .sort((a, b) => kindRank(b.kind) - kindRank(a.kind));
    return {
      found,
      unread: unread.map(({ kind, reference }) => ({ planned: plannedRemoval('delete', kind, reference) })),
    };
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
  const leaving = { kind: departure.kind, name, namespace, uid };
  try {
    const { status, error } = await removal.remove(leaving);
    const stuck = status === 'deleted' ? await removal.waitUntilGone(leaving, uid, clock, Infinity) : undefined;
    await results.set(departure, { status: stuck ? 'failed' : status, error: error ?? stuck });
  } catch (error) {
    await results.set(departure, { status: 'failed', error: toResourceError(toRunEnd(error, () => '')) });
    throw error;
  }
}
