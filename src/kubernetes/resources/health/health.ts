import { groupOf, type KubernetesObject } from '../../clusters/kubernetes-object.js';
import { sanitizeClusterText } from '../../clusters/sanitize-cluster-text.js';
import { type Condition, type Health, type HealthRule, findCondition, healthOf } from './health-status.js';
import { WORKLOAD_RULES } from './workload-health.js';

const MAX_MESSAGE = 1_000;

const RULES: Record<string, HealthRule> = {
  ...WORKLOAD_RULES,
  '/PersistentVolumeClaim': claim,
  '/Service': service,
  '/Namespace': () => healthOf('Healthy'),
  '/Node': node,
  'networking.k8s.io/Ingress': ingress,
  'extensions/Ingress': ingress,
  'autoscaling/HorizontalPodAutoscaler': autoscaler,
  'apiregistration.k8s.io/APIService': apiService,
  'apiextensions.k8s.io/CustomResourceDefinition': definition,
};

/** Built-in API groups: their kinds have health by one of the rules above or not at all. */
const BUILT_IN = /^$|^(apps|batch|autoscaling|policy|extensions)$|\.k8s\.io$/;

/** Reports whether objects of a kind may have health; for custom kinds it depends on the object. */
export function hasHealth(apiVersion: string, kind: string): boolean {
  const group = groupOf(apiVersion);
  return `${group}/${kind}` in RULES || !BUILT_IN.test(group);
}

/**
 * Assesses the health of an object by the rules of Argo CD; null for kinds without health, such as ConfigMap. Custom
 * kinds are assessed by `status.conditions` as in kstatus.
 */
export function assessHealth(object: KubernetesObject): Health | null {
  const group = groupOf(object.apiVersion);
  const rule = RULES[`${group}/${object.kind}`] ?? (BUILT_IN.test(group) ? undefined : conditions);
  if (object.metadata.deletionTimestamp) return healthOf('Progressing', 'It is being deleted');
  if (!rule) return null;
  try {
    const health = rule(toFields(object.spec), toFields(object.status), object);
    return health && { ...health, message: health.message && sanitizeClusterText(health.message, MAX_MESSAGE) };
  } catch {
    // Malformed fields of the object.
    return healthOf('Unknown', 'Its status cannot be read');
  }
}

const toFields = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

function claim(_: object, status: { phase?: unknown }): Health {
  if (status.phase === 'Bound') return healthOf('Healthy');
  if (status.phase === 'Lost') return healthOf('Degraded', 'Its volume is lost');
  return healthOf('Progressing', 'It is not bound to a volume');
}

const hasLoadBalancer = (status: { loadBalancer?: { ingress?: unknown[] } }): boolean =>
  (status.loadBalancer?.ingress?.length ?? 0) > 0;

function service(spec: { type?: unknown }, status: object): Health {
  if (spec.type !== 'LoadBalancer' || hasLoadBalancer(status)) return healthOf('Healthy');
  return healthOf('Progressing', 'It has no address of a load balancer yet');
}

function ingress(_: object, status: object): Health {
  return hasLoadBalancer(status) ? healthOf('Healthy') : healthOf('Progressing', 'It has no address yet');
}

function node(_: object, status: object): Health {
  const ready = findCondition(status, 'Ready');
  if (ready?.status === 'True') return healthOf('Healthy');
  return healthOf('Degraded', toMessage(ready) ?? 'It is not ready');
}

const AUTOSCALER_FAULTS: Record<string, string[]> = {
  AbleToScale: ['FailedGetScale', 'FailedUpdateScale'],
  ScalingActive: ['FailedGetResourceMetric', 'FailedGetPodsMetric', 'FailedGetExternalMetric', 'InvalidSelector'],
};

function autoscaler(_: object, status: object): Health {
  for (const [type, reasons] of Object.entries(AUTOSCALER_FAULTS)) {
    const found = findCondition(status, type);
    if (found?.status === 'False' && reasons.includes(found.reason ?? ''))
      return healthOf('Degraded', toMessage(found) ?? null);
  }
  const isSettled = ['AbleToScale', 'ScalingLimited'].some((type) => findCondition(status, type)?.status === 'True');
  return isSettled ? healthOf('Healthy') : healthOf('Progressing', 'It has not scaled yet');
}

function apiService(_: object, status: object): Health {
  const available = findCondition(status, 'Available');
  if (available?.status === 'True') return healthOf('Healthy');
  return healthOf('Progressing', toMessage(available) ?? 'It has not been processed yet');
}

function definition(_: object, status: object): Health {
  const refused = findCondition(status, 'NamesAccepted');
  if (refused?.status === 'False') return healthOf('Degraded', toMessage(refused) ?? null);
  const [established, terminating] = [findCondition(status, 'Established'), findCondition(status, 'Terminating')];
  if (terminating?.status === 'True') return healthOf('Progressing', toMessage(terminating) ?? null);
  if (established?.status === 'True') return healthOf('Healthy');
  return healthOf('Progressing', toMessage(established) ?? 'It is not established yet');
}

const FAULT_TYPES = ['Stalled', 'Failed', 'Degraded'];
const GOOD_TYPES = ['Ready', 'Available', 'Healthy', 'Succeeded', 'Complete'];
const FAULT_REASON = /fail|error|invalid|denied|unauthorized|notfound/i;

/** Assesses custom kinds by common conditions. Without any, they have no health. */
function conditions(
  spec: { suspend?: unknown },
  status: { conditions?: unknown; observedGeneration?: unknown },
  { metadata }: KubernetesObject,
): Health | null {
  if (spec.suspend === true) return healthOf('Suspended', 'It is suspended');
  if (!Array.isArray(status.conditions)) return null;
  if (typeof status.observedGeneration === 'number' && status.observedGeneration < (metadata.generation ?? 0))
    return healthOf('Progressing', 'Its controller has not seen the last change');
  for (const type of FAULT_TYPES) {
    const fault = findCondition(status, type);
    if (fault?.status === 'True') return healthOf('Degraded', toMessage(fault) ?? null);
  }
  const good = GOOD_TYPES.map((type) => findCondition(status, type)).filter((one) => one !== undefined);
  const [bad] = good.filter((one) => one.status !== 'True');
  if (good.length === 0) return null;
  if (!bad || good[0]?.status === 'True') return healthOf('Healthy');
  const isFault = bad.status === 'False' && FAULT_REASON.test(bad.reason ?? '');
  return healthOf(isFault ? 'Degraded' : 'Progressing', toMessage(bad) ?? null);
}

function toMessage(condition: Condition | undefined): string | undefined {
  const text = [condition?.reason, condition?.message].filter((part) => typeof part === 'string' && part).join(': ');
  return text || undefined;
}
