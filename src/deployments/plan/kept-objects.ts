import { isObject } from '../../core/json/json.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type ObjectMetadata } from '../../kubernetes/clusters/kubernetes-object.js';
import { definedKinds, isDefinition } from './definitions.js';
import { type PlanItem } from './plan-item.js';

export interface KeepOptions {
  /** Also deletes volume claims, which are kept by default. */
  deleteVolumes?: boolean;
}

/** Annotations of Helm, Argo CD and this server that exclude an object from deletion. */
const KEEPING: { annotation: string; keeps: (value: string) => boolean }[] = [
  { annotation: 'helm.sh/resource-policy', keeps: (value) => splitList(value).includes('keep') },
  { annotation: 'argocd.argoproj.io/sync-options', keeps: (value) => splitList(value).includes('Prune=false') },
  { annotation: 'armature.dev/keep', keeps: (value) => value !== 'false' },
];

/** Why an object that the design no longer contains is not deleted; undefined when it may be. */
export function findKeepReason(
  object: Pick<ObjectMetadata, 'apiVersion' | 'kind'> & { metadata: { annotations?: unknown } },
  { deleteVolumes }: KeepOptions,
): string | undefined {
  const { annotations } = object.metadata;
  const found = KEEPING.find(({ annotation, keeps }) => {
    const value = isObject(annotations) ? annotations[annotation] : undefined;
    return typeof value === 'string' && keeps(value);
  });
  if (found) return `It is kept because of its annotation ${found.annotation}`;
  return isVolumeClaim(object) && !deleteVolumes
    ? 'It is kept with the data that it holds; delete_volumes: true deletes volume claims'
    : undefined;
}

export function isVolumeClaim({ apiVersion, kind }: { apiVersion: string; kind: string }): boolean {
  return kind === 'PersistentVolumeClaim' && apiVersion === 'v1';
}

/** Why an object that left the design must remain: it contains resources of the design, or defines their kind. */
export function findUseByDesign(object: ObjectMetadata, wanted: PlanItem[]): string | undefined {
  const { name } = object.metadata;
  const isNamespace = object.kind === 'Namespace' && object.apiVersion === 'v1';
  if (isNamespace && wanted.some(({ desired }) => desired?.metadata.namespace === name))
    return 'It is kept because it contains objects of the design';
  const isOf = ({ kind }: PlanItem) => kind && `${kind.plural}.${kind.group}` === name;
  return isDefinition(object) && wanted.some(isOf)
    ? 'It is kept because objects of the design are of its kind'
    : undefined;
}

/** Whether the object can be deleted and recreated without losing anything else. */
export function isReplaceable(kind: ResourceKind, object: ObjectMetadata, options: KeepOptions): boolean {
  const holdsOthers =
    (kind.kind === 'Namespace' && kind.group === '') || isDefinition(object) || definedKinds(object).length > 0;
  return !holdsOthers && findKeepReason(object, options) === undefined;
}

const splitList = (text: string): string[] => text.split(',').map((word) => word.trim());
