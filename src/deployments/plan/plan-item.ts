import { type PlannedResource } from './planned-resource.js';
import {
  type KubernetesObject,
  type ManagedFields,
  type ObjectMetadata,
} from '../../kubernetes/clusters/kubernetes-object.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';

/** One resource of a plan, with what is needed to apply it. */
export interface PlanItem {
  planned: PlannedResource;
  /** The object to apply; absent for a prune and for a resource that cannot be applied. */
  desired?: KubernetesObject;
  /** Absent when neither the cluster nor the design defines it. */
  kind?: ResourceKind;
  /** The live object; only its metadata for a prune. */
  live?: ObjectMetadata;
  /** The complete live object that it was compared with. */
  compared?: KubernetesObject;
  /** Hash of all changes of an update. */
  digest?: string;
  /** Managed fields to store before the object is applied. */
  ownership?: ManagedFields[];
  /** A volume claim that a StatefulSet created. */
  isGenerated?: boolean;
  /** It comes from `crds/` of a chart: it belongs to no release. */
  isChartDefinition?: boolean;
  /** It names no namespace, and is deployed to the namespace of the plan. */
  isInFallback?: boolean;
}
