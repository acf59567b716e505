import { type PlanItem } from './plan-item.js';
import { type PlannedResource, type ResourceError } from './planned-resource.js';

/** Kinds that other resources need for a successful dry run. */
const PREREQUISITE_KINDS = [
  'ServiceAccount',
  'PriorityClass',
  'RuntimeClass',
  'Role',
  'ClusterRole',
  'StorageClass',
  'LimitRange',
];

/** Whether the cluster refuses the resource only because of something missing that an earlier item of this plan creates. */
export function isWaitingForPlan(planned: PlannedResource, error: ResourceError, all: PlanItem[]): boolean {
  const created = all.filter(
    (item) => item.planned.action === 'create' && !item.planned.error && item.planned !== planned,
  );
  if (error.reason === 'NAMESPACE_NOT_FOUND') {
    return created.some((item) => item.planned.kind === 'Namespace' && item.planned.name === planned.namespace);
  }
  if (error.reason !== 'FORBIDDEN' && error.reason !== 'NOT_FOUND') return false;
  const said = error.detail.replace(/^\S+ "[^"]*" is forbidden: /, '');
  return created.some((item) => PREREQUISITE_KINDS.includes(item.planned.kind) && said.includes(item.planned.name));
}
