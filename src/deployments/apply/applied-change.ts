import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type KubernetesObject, type ObjectReference } from '../../kubernetes/clusters/kubernetes-object.js';
import { findAppliedFields } from '../plan/owner.js';
import { objectKey } from '../plan/planned-resource.js';

/** One change of an object that a run made, or was about to make. */
export interface AppliedChange {
  action: 'create' | 'update' | 'replace' | 'prune' | 'delete';
  kind: ResourceKind;
  name: string;
  namespace?: string;
  /** The object as it was before an update, a replacement or a prune, as far as undoing that needs it. */
  previous?: KubernetesObject;
  /** Of a hook of a chart: the phase in which it is run. */
  hook?: string;
  /** The hook has completed, and is not run again by the replica that resumes. */
  done?: boolean;
}

/**
 * What a deployment changes on one cluster, recorded before it is changed: the replica that takes the deployment over can finish it or
 * undo it, and knows what was done from what was there before.
 */
export interface ChangeJournal {
  /** In the order in which they were recorded, those of earlier attempts included. */
  readonly changes: readonly AppliedChange[];
  /** Resolves once the changes are durable. @throws JobAborted when another worker has taken the deployment over */
  record(changes: AppliedChange[]): Promise<void>;
  /** Takes back the record of a change that the cluster refused. */
  withdraw(change: AppliedChange): Promise<void>;
}

/** The same for all versions of a kind. */
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

/** An object without what undoing never reads: its status, and the fields of other managers. */
export function toRecordedObject(kind: ResourceKind, object: KubernetesObject): KubernetesObject {
  const { status, ...rest } = object;
  const ours = findAppliedFields(object);
  const metadata = { ...object.metadata, managedFields: ours ? [ours] : [] };
  return { ...rest, ...(status !== undefined && !kind.subresources.includes('status') && { status }), metadata };
}
