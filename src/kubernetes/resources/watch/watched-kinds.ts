import type { ResourceKind } from '../../clusters/discovery.js';
import { groupOf } from '../../clusters/kubernetes-object.js';

/** Kinds that change constantly and are read from the cluster on demand. */
const UNWATCHED = new Set(['/Event', 'events.k8s.io/Event', 'coordination.k8s.io/Lease']);

/** Reports whether objects of a kind are stored, if they may be read. */
export const isWatchedKind = ({ apiVersion, kind }: Pick<ResourceKind, 'apiVersion' | 'kind'>): boolean =>
  !UNWATCHED.has(`${groupOf(apiVersion)}/${kind}`);
