import { ClusterError } from './cluster-error.js';
import type { ResourceKind } from './discovery.js';

/** Builds the path of a kind or object. A name must be a single path segment. @throws ClusterError `invalid` */
export function objectPath(kind: ResourceKind, namespace?: string, name?: string): string {
  const root = kind.group ? `/apis/${kind.group}/${kind.version}` : `/api/${kind.version}`;
  const inside = kind.namespaced && namespace !== undefined ? `/namespaces/${pathSegment(namespace, 'namespace')}` : '';
  return `${root}${inside}/${kind.plural}${name === undefined ? '' : `/${pathSegment(name, 'name')}`}`;
}

function pathSegment(text: string, what: string): string {
  if (text !== '' && text !== '.' && text !== '..' && !/[/%]/.test(text)) return encodeURIComponent(text);
  throw new ClusterError('invalid', `"${text}" cannot be the ${what} of an object`, { reason: 'Invalid' });
}
