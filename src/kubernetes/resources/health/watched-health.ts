import { groupOf } from '../../clusters/kubernetes-object.js';
import type { ResourceName, WatchSummary } from '../cluster-resources.store.js';
import type { ClusterResource } from '../cluster-resource.entity.js';
import { isWatchedKind } from '../watch/watched-kinds.js';
import { hasHealth } from './health.js';
import { type Health, healthOf } from './health-status.js';

/** How long stored objects count as current after the watch was last connected, so that resumed watches cause no change. */
const STALE_MS = 15_000;

type Seen = Pick<ClusterResource, 'health' | 'healthMessage'>;

/**
 * Assesses an object that should exist from the state of its cluster's watch: `Missing` only when the watch would
 * have received it, `Unknown` when the watch cannot tell. Null for kinds without health.
 * @param found the stored object, if any
 * @param watch the watch of its cluster, if any
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
  // A Job may have been deleted by its own `ttlSecondsAfterFinished`.
  return name.kind === 'Job' ? null : healthOf('Missing', 'It is not on the cluster');
}
