import type { ResourceKind } from '../../clusters/discovery.js';
import { groupOf } from '../../clusters/kubernetes-object.js';

type Kind = Pick<ResourceKind, 'apiVersion' | 'kind'>;

const nameOf = ({ apiVersion, kind }: Kind): string => `${groupOf(apiVersion)}/${kind}`;

/** Kinds that change constantly and are read from the cluster on demand. */
const UNWATCHED = new Set([
  '/Event',
  'events.k8s.io/Event',
  'coordination.k8s.io/Lease',
  'discovery.k8s.io/EndpointSlice',
]);

/** Kinds that controllers keep as the history of another object, whose content is repeated in them. */
const HISTORY = new Set(['apps/ReplicaSet', 'apps/ControllerRevision']);

/** Reports whether objects of a kind are stored, if they may be read. */
export const isWatchedKind = (kind: Kind): boolean => !UNWATCHED.has(nameOf(kind));

/** Reports whether only the identity, the owner and the health of objects of a kind are stored. */
export const isHistoryKind = (kind: Kind): boolean => HISTORY.has(nameOf(kind));
