import type { ResourceKind } from '../../clusters/discovery.js';
import { groupOf } from '../../clusters/kubernetes-object.js';

/** Of what changes all the time and is asked of the cluster itself when it is wanted. */
const UNWATCHED = new Set(['/Event', 'events.k8s.io/Event', 'coordination.k8s.io/Lease']);

/** Whether the objects of a kind are kept, where they may be read. */
export const isWatchedKind = ({ apiVersion, kind }: Pick<ResourceKind, 'apiVersion' | 'kind'>): boolean =>
  !UNWATCHED.has(`${groupOf(apiVersion)}/${kind}`);
