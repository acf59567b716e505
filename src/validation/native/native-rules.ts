import type { JsonObject } from '../../core/json/json.js';
import type { Findings } from '../schema/findings.js';
import { dnsLabel, dnsSubdomain, type NameRule, pathSegment } from '../values/name-rules.js';
import { customResourceDefinition } from './definitions.js';
import { endpoints, endpointSlice } from './endpoints.js';
import { ingress, ingressClass, networkPolicy, service } from './network.js';
import { ResourceField, type FieldRule } from './resource-field.js';
import { podSpec } from './pods.js';
import {
  clusterRole,
  clusterRoleBinding,
  disruptionBudget,
  podAutoscaler,
  priorityClass,
  role,
  roleBinding,
} from './policies.js';
import { admissionPolicy, admissionPolicyBinding, apiService, webhookConfiguration } from './registration.js';
import { limitRange, resourceQuota } from './quotas.js';
import { groupOf } from './built-in-groups.js';
import { configMap, persistentVolume, persistentVolumeClaim, secret, storageClass } from './storage.js';
import {
  cronJob,
  daemonSet,
  deployment,
  job,
  podTemplate,
  replicaSet,
  replicationController,
  statefulSet,
} from './workloads.js';

/** The validation in the Go code of kube-apiserver beyond the schemas, by group and kind, for all versions. */
const RULES_BY_KIND: Record<string, FieldRule> = {
  '/ConfigMap': configMap,
  '/Endpoints': endpoints,
  '/LimitRange': limitRange,
  '/PersistentVolume': persistentVolume,
  '/PersistentVolumeClaim': persistentVolumeClaim,
  '/Pod': (place) => podSpec(place.at('spec')),
  '/PodTemplate': (place) => podTemplate(place.at('template')),
  '/ReplicationController': replicationController,
  '/ResourceQuota': resourceQuota,
  '/Secret': secret,
  '/Service': service,
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': webhookConfiguration,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': admissionPolicy,
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': admissionPolicyBinding,
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': webhookConfiguration,
  'apiextensions.k8s.io/CustomResourceDefinition': customResourceDefinition,
  'apiregistration.k8s.io/APIService': apiService,
  'apps/DaemonSet': daemonSet,
  'apps/Deployment': deployment,
  'apps/ReplicaSet': replicaSet,
  'apps/StatefulSet': statefulSet,
  'autoscaling/HorizontalPodAutoscaler': podAutoscaler,
  'batch/CronJob': cronJob,
  'batch/Job': job,
  'discovery.k8s.io/EndpointSlice': endpointSlice,
  'networking.k8s.io/Ingress': ingress,
  'networking.k8s.io/IngressClass': ingressClass,
  'networking.k8s.io/NetworkPolicy': networkPolicy,
  'policy/PodDisruptionBudget': disruptionBudget,
  'rbac.authorization.k8s.io/ClusterRole': clusterRole,
  'rbac.authorization.k8s.io/ClusterRoleBinding': clusterRoleBinding,
  'rbac.authorization.k8s.io/Role': role,
  'rbac.authorization.k8s.io/RoleBinding': roleBinding,
  'scheduling.k8s.io/PriorityClass': priorityClass,
  'storage.k8s.io/StorageClass': storageClass,
};

/** Name rules of kinds whose names need not be DNS subdomains. */
const NAME_RULES_BY_KIND: Record<string, NameRule> = {
  '/Namespace': dnsLabel,
  '/Service': dnsLabel,
  'apiregistration.k8s.io/APIService': pathSegment,
  'apps/StatefulSet': dnsLabel,
  'policy/PodDisruptionBudget': pathSegment,
  'rbac.authorization.k8s.io/ClusterRole': pathSegment,
  'rbac.authorization.k8s.io/ClusterRoleBinding': pathSegment,
  'rbac.authorization.k8s.io/Role': pathSegment,
  'rbac.authorization.k8s.io/RoleBinding': pathSegment,
};

export function nameRuleOf(resource: JsonObject): NameRule {
  return NAME_RULES_BY_KIND[keyOf(resource)] ?? dnsSubdomain;
}

/** Checks a resource of a built-in type with the rules of its kind, if there are any. */
export function checkNativeRules(resource: JsonObject, findings: Findings): void {
  const key = keyOf(resource);
  if (Object.hasOwn(RULES_BY_KIND, key)) RULES_BY_KIND[key]?.(new ResourceField(resource, '', findings));
}

function keyOf({ apiVersion, kind }: JsonObject): string {
  return typeof apiVersion === 'string' && typeof kind === 'string' ? `${groupOf(apiVersion)}/${kind}` : '';
}
