import { type PlannedResource } from './planned-resource.js';
import { type KubernetesObject, type ObjectMetadata } from '../../kubernetes/clusters/kubernetes-object.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';

/** One resource of a plan, with what is needed to carry it out. */
export interface PlanItem {
  planned: PlannedResource;
  /** The object to apply; absent for a prune and for what cannot be applied at all. */
  desired?: KubernetesObject;
  /** Absent when neither the cluster nor the design knows it. */
  kind?: ResourceKind;
  /** What is on the cluster now, of a prune its metadata only. */
  live?: ObjectMetadata;
  /** The whole object that it was compared with. */
  compared?: KubernetesObject;
  /** Stands for all that an update changes. */
  digest?: string;
  /** A volume claim that a StatefulSet has made. */
  isMade?: boolean;
  /** It names no namespace, and goes where such objects go. */
  isInFallback?: boolean;
}
