import { isObject } from '../../core/json/json.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { isNamespace, type ObjectMetadata, type ObjectReference } from '../../kubernetes/clusters/kubernetes-object.js';
import { isDefinition } from './definitions.js';
import { type PlanItem } from './plan-item.js';

/** An object that deployments have left on the cluster, or would leave. */
export interface KeptObject extends ObjectReference {
  uid?: string;
  /** A volume claim that the cluster created for a StatefulSet, without labels of the owner. */
  isGenerated?: boolean;
  /** A definition from `crds/` of a chart, which belongs to nobody. */
  isChartDefinition?: boolean;
}

/** What a later plan has to know of the objects without labels of their owner. */
export function toKeptObjects(
  objects: (Pick<PlanItem, 'isGenerated' | 'isChartDefinition'> & { kind?: ResourceKind; live?: ObjectMetadata })[],
): KeptObject[] {
  return objects.flatMap(({ kind, live, isGenerated, isChartDefinition }): KeptObject[] => {
    if (!kind || !live || (!isGenerated && !isChartDefinition)) return [];
    const { name, namespace, uid } = live.metadata;
    return [
      { ...{ apiVersion: kind.apiVersion, kind: kind.kind, namespace, name, uid }, isGenerated, isChartDefinition },
    ];
  });
}

export const uniqueObjects = (objects: KeptObject[]): KeptObject[] => [
  ...new Map(
    objects.map((one) => [JSON.stringify([one.apiVersion, one.kind, one.namespace, one.name, one.uid]), one]),
  ).values(),
];

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
  object: TypeMeta & { metadata: { annotations?: unknown } },
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

type TypeMeta = Pick<ObjectMetadata, 'apiVersion' | 'kind'>;

export const isVolume = ({ apiVersion, kind }: TypeMeta): boolean => kind === 'PersistentVolume' && apiVersion === 'v1';
export const isVolumeClaim = ({ apiVersion, kind }: TypeMeta): boolean =>
  kind === 'PersistentVolumeClaim' && apiVersion === 'v1';

/** Why an object that left the design must remain: it contains resources of the design, or defines their kind. */
export function findUseByDesign(object: ObjectMetadata, wanted: PlanItem[]): string | undefined {
  const { name } = object.metadata;
  if (isNamespace(object) && wanted.some(({ desired }) => desired?.metadata.namespace === name))
    return 'It is kept because it contains objects of the design';
  const isOf = ({ kind }: PlanItem) => kind && `${kind.plural}.${kind.group}` === name;
  return isDefinition(object) && wanted.some(isOf)
    ? 'It is kept because objects of the design are of its kind'
    : undefined;
}

const splitList = (text: string): string[] => text.split(',').map((word) => word.trim());
