import { groupOf } from '../../clusters/kubernetes-object.js';
import type { ResourceName, WatchSummary } from '../cluster-resources.store.js';
import type { ClusterResource } from '../cluster-resource.entity.js';
import { isWatchedKind } from '../watch/watched-kinds.js';
import { hasHealth } from './health.js';
import { type Health, healthOf } from './health-status.js';

/** What was kept counts for so long after the cluster was last reached: a watch that is resumed is no news. */
const STALE_MS = 15_000;

type Seen = Pick<ClusterResource, 'health' | 'healthMessage'>;

/**
 * The health of an object that should be there, as far as the watch of its cluster can determine it: `Missing` only where the watch
 * would see it, `Unknown` where it cannot see it now. Null for kinds that have no health.
 *
 * @param found as the watch keeps it, if it does
 * @param watch of its cluster, if there is one
 */
export function judgeWatched(
  name: ResourceName,
  found: Seen | undefined,
  watch: WatchSummary | undefined,
  now = Date.now(),
): Health | null {
  const unknown = (why: string): Health | null =>
    found?.health || (!found && hasHealth(name.api_version, name.kind)) ? healthOf('Unknown', why) : null;
  if (!isWatchedKind({ apiVersion: name.api_version, kind: name.kind })) return null;
  if (!watch) return unknown('The cluster is not watched');
  if (watch.stale_since && now - watch.stale_since.getTime() > STALE_MS) {
    const last = found?.health ? `${found.health} when it was last seen` : 'It is not known';
    return unknown(`${last}: the watch of the cluster is out of date since ${watch.stale_since.toISOString()}`);
  }
  const gap = watch.missing.find((one) =>
    one.kind === '*'
      ? one.api_version === name.api_version
      : one.kind === name.kind && groupOf(one.api_version) === groupOf(name.api_version),
  );
  if (gap && !gap.namespaces?.includes(name.namespace ?? '')) return unknown(`The kind is not watched: ${gap.detail}`);
  if (found) return found.health && healthOf(found.health, found.healthMessage);
  if (watch.status !== 'watching') return unknown('Not everything on the cluster has been listed yet');
  // A Job may be deleted some time after its end, by its own wish.
  return name.kind === 'Job' ? null : healthOf('Missing', 'It is not on the cluster');
}
