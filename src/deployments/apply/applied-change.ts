import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type KubernetesObject, type ObjectReference } from '../../kubernetes/clusters/kubernetes-object.js';
import { findToolEntries } from '../plan/field-ownership.js';
import { findAppliedFields } from '../plan/owner.js';
import { objectKey } from '../plan/planned-resource.js';

/** A change of one object that a run has made or is about to make. */
export interface AppliedChange {
  action: 'create' | 'update' | 'replace' | 'prune' | 'delete';
  kind: ResourceKind;
  name: string;
  namespace?: string;
  /** The object before an update, a replacement or a deletion, with the fields that undoing needs. */
  previous?: KubernetesObject;
  /** Of the deletion of a workload: its uid and those of its ReplicaSets, of which pods may remain. */
  uids?: string[];
  /** A definition from `crds/` of a chart, which stays also when the deployment is undone. */
  isChartDefinition?: boolean;
  /** For a hook of a chart: the phase in which it runs. */
  hook?: string;
  /** The hook has completed; a replica that resumes the deployment does not run it again. */
  done?: boolean;
}

/**
 * The changes of a deployment on one cluster. Each is recorded before it is made, so that a replica that takes over the deployment
 * can complete or undo it.
 */
export interface ChangeJournal {
  /** All changes in the order in which they were recorded, including those of earlier attempts. */
  readonly changes: readonly AppliedChange[];
  /** Resolves when the changes are stored. @throws JobAborted when another worker has taken over the deployment */
  record(changes: AppliedChange[]): Promise<void>;
  /** Removes the records of changes that were not made. */
  withdraw(changes: AppliedChange[]): Promise<void>;
}

/** The identity of an object across the versions of its kind. */
export function changeKey({
  kind,
  name,
  namespace,
  hook,
}: Pick<AppliedChange, 'kind' | 'name' | 'namespace' | 'hook'>): string {
  return objectKey({ group: kind.group, kind: kind.kind, name, namespace, hook });
}

export function toReference({ kind, name, namespace }: AppliedChange): ObjectReference {
  return { apiVersion: kind.apiVersion, kind: kind.kind, name, ...(namespace && { namespace }) };
}

/**
 * The object without fields that undoing never reads: the status, and the fields of other managers.
 * @param takes whether the change may take over fields of tools, which then are recorded
 */
export function toRecordedObject(kind: ResourceKind, object: KubernetesObject, takes = false): KubernetesObject {
  const { status, ...rest } = object;
  const ours = findAppliedFields(object);
  const managedFields = [...(ours ? [ours] : []), ...(takes ? findToolEntries(object) : [])];
  const metadata = { ...object.metadata, managedFields };
  return { ...rest, ...(status !== undefined && !kind.subresources.includes('status') && { status }), metadata };
}
