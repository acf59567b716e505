import {
  isNamespace,
  type KubernetesObject,
  type ObjectMetadata,
  type ObjectReference,
} from '../clusters/kubernetes-object.js';
import { findAppliedFields, OWNER_LABEL_PREFIX as PREFIX } from '../clusters/owner-labels.js';

/** The owner of an object: the installation of this name through one connection. A namespace belongs to all installations in it. */
export interface ControllerOwner {
  connectionId: string;
  name: string;
}

export const CONTROLLER_LABEL = `${PREFIX}controller`;
const CONNECTION_LABEL = `${PREFIX}connection`;

/** Returns the object with the labels of its owner. */
export function labelAsOwned({ connectionId, name }: ControllerOwner, object: KubernetesObject): KubernetesObject {
  const labels = {
    ...object.metadata.labels,
    [CONNECTION_LABEL]: connectionId,
    [CONTROLLER_LABEL]: isNamespace(object) ? 'namespace' : name,
  };
  return { ...object, metadata: { ...object.metadata, labels } };
}

/** Reports whether this server applied the object for this owner: labels alone do not prove it, because anyone can copy them. */
export function isOwned({ connectionId, name }: ControllerOwner, object: ObjectMetadata): boolean {
  const labels = object.metadata.labels ?? {};
  const controller = isNamespace(object) ? 'namespace' : name;
  return (
    labels[CONNECTION_LABEL] === connectionId &&
    labels[CONTROLLER_LABEL] === controller &&
    findAppliedFields(object) !== undefined
  );
}

export function toReference({ apiVersion, kind, metadata }: KubernetesObject): ObjectReference {
  const { name, namespace } = metadata;
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

/** Merges lists without duplicates. */
export const mergeReferences = (...lists: ObjectReference[][]): ObjectReference[] => [
  ...new Map(
    lists.flat().map((one) => [[one.apiVersion, one.kind, one.namespace ?? '', one.name].join(' '), one]),
  ).values(),
];
