import { isObject } from '../../core/json/json.js';
import { hasField } from '../../kubernetes/clusters/field-set.js';
import { groupOf, type KubernetesObject, managedFieldsOf } from '../../kubernetes/clusters/kubernetes-object.js';
import { type PlanItem } from './plan-item.js';
import { objectKey } from './planned-resource.js';

/** The objects of a design that an autoscaler of the same design scales, by their keys. */
export function findAutoscaled(items: PlanItem[]): ReadonlySet<string> {
  const targets = items.flatMap(({ desired }) => {
    const target =
      desired?.kind === 'HorizontalPodAutoscaler' && isObject(desired['spec']) && desired['spec']['scaleTargetRef'];
    if (!desired || !isObject(target)) return [];
    const { apiVersion, kind, name } = target;
    if (typeof kind !== 'string' || typeof name !== 'string') return [];
    const group = typeof apiVersion === 'string' ? groupOf(apiVersion) : '';
    return [objectKey({ group, kind, name, namespace: desired.metadata.namespace })];
  });
  return new Set(targets);
}

/** Whether somebody has set the number of replicas by the subresource `scale`, as autoscalers do. */
export function isScaled(live: KubernetesObject): boolean {
  return managedFieldsOf(live).some(
    ({ subresource, fieldsV1 }) => subresource === 'scale' && hasField(fieldsV1, live, ['spec', 'replicas']),
  );
}

/** The object without its number of replicas, which are then left to the autoscaler. */
export function omitReplicas(object: KubernetesObject): KubernetesObject {
  const { spec } = object;
  if (!isObject(spec)) return object;
  const { replicas: _, ...rest } = spec;
  return { ...object, spec: rest };
}
