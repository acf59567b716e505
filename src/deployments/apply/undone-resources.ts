import { groupOf } from '../../kubernetes/clusters/kubernetes-object.js';
import { KEPT_DEFINITION } from '../plan/deletion-rules.js';
import { objectKey } from '../plan/planned-resource.js';
import { type AppliedChange, changeKey } from './applied-change.js';
import { type ResourceResult } from './resource-result.js';
import { NOT_DELETED, NOT_MADE, NOT_OURS, type UndoneChange } from './undo.js';

export type ResourceState = Omit<ResourceResult, 'component'>;

/** The state of a resource of which only the recorded change is known. */
export function toResourceState(change: AppliedChange, status: ResourceState['status']): ResourceState {
  const { action, kind, name, namespace, hook } = change;
  return {
    api_version: kind.apiVersion,
    kind: kind.kind,
    namespace: namespace ?? null,
    name,
    action: action === 'replace' ? 'update' : action,
    ...(hook && { hook }),
    status,
  };
}

/** The statuses of resources that their run has not changed, as it reports. */
const UNMADE: ReadonlySet<ResourceState['status']> = new Set(['skipped', 'unchanged', 'failed']);

/** The resources of one cluster after changes were undone. Failed resources keep their error; those that could not be undone get one. */
export function applyUndo<R extends ResourceState>(
  resources: R[],
  undone: UndoneChange[],
  missing: (change: AppliedChange) => R,
): R[] {
  const byKey = new Map(resources.map((one) => [objectKey({ ...one, group: groupOf(one.api_version) }), { ...one }]));
  for (const { change, error } of undone) {
    const known = byKey.get(changeKey(change));
    const resource = known ?? missing(change);
    byKey.set(changeKey(change), resource);
    // What an earlier attempt has rolled back looks as if it had not been made.
    const isUnmade = (error === NOT_MADE || error === NOT_OURS) && (!known || UNMADE.has(known.status));
    if (error === NOT_DELETED || isUnmade) {
      if (!known) resource.status = 'skipped';
      continue;
    }
    if (error === KEPT_DEFINITION) Object.assign(resource, { status: 'kept', message: error.detail });
    else if (error && error !== NOT_MADE) resource.error = error;
    else if (resource.status !== 'failed' || resource.error?.reason === 'CANCELLED')
      Object.assign(resource, { status: 'rolled_back', message: undefined, error: undefined });
  }
  return [...byKey.values()];
}
