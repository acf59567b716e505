import { groupOf, type KubernetesObject } from '../../clusters/kubernetes-object.js';
import { sanitizeClusterText } from '../../clusters/sanitize-cluster-text.js';
import { compileRule, type HealthRule } from './health-rule.js';
import type { Health, Judgement } from './health-status.js';
import { KSTATUS } from './rules/common.js';
import { HEALTH_RULES } from './rules/rules.js';

const MAX_MESSAGE = 1_000;

/** API groups of Kubernetes itself: their kinds have a rule, or no health. */
const BUILT_IN = new Set([
  ...['', 'apps', 'autoscaling', 'batch', 'extensions', 'policy', 'metrics.k8s.io'],
  ...['admissionregistration', 'apiextensions', 'apiregistration', 'authentication', 'authorization', 'certificates']
    .concat([
      'coordination',
      'discovery',
      'events',
      'flowcontrol.apiserver',
      'internal.apiserver',
      'networking',
      'node',
    ])
    .concat(['rbac.authorization', 'resource', 'scheduling', 'storage', 'storagemigration'])
    .map((name) => `${name}.k8s.io`),
]);

/** Whether Kubernetes itself has the kinds of a group. */
export const isBuiltIn = (apiVersion: string): boolean => BUILT_IN.has(groupOf(apiVersion));

const judgeByKstatus = compileRule(KSTATUS);
const rules = compileTable();

/** Reports whether objects of a kind have a health. */
export const hasHealth = (apiVersion: string, kind: string): boolean =>
  findRule(groupOf(apiVersion), kind) !== undefined;

/** Assesses the health of an object; null for kinds without health, such as ConfigMap. */
export function assessHealth(object: KubernetesObject): Health | null {
  const judgement = judgeHealth(object);
  return judgement && { status: judgement.status, message: judgement.message };
}

/** As `assessHealth`, with what matters to those who wait for the object. */
export function judgeHealth(object: KubernetesObject): Judgement | null {
  const { deletionTimestamp, generation } = object.metadata;
  if (deletionTimestamp) return { status: 'Progressing', message: 'It is being deleted' };
  const group = groupOf(object.apiVersion);
  const rule = findRule(group, object.kind);
  if (!rule) return null;
  if (!BUILT_IN.has(group) && isUnseen(object['status'], generation))
    return { status: 'Progressing', message: 'Its controller has not seen the last change' };
  try {
    const { message, ...judgement } = rule(object);
    return { ...judgement, message: message && sanitizeClusterText(message, MAX_MESSAGE) };
  } catch {
    return { status: 'Unknown', message: 'Its status cannot be read' };
  }
}

function isUnseen(status: unknown, generation = 0): boolean {
  const { observedGeneration } = (status ?? {}) as { observedGeneration?: unknown };
  // Rollouts have it as text.
  return observedGeneration !== undefined && Number(observedGeneration) < generation;
}

function findRule(group: string, kind: string): HealthRule | undefined {
  const exact = rules.get(`${group}/${kind}`) ?? rules.get(`${group}/*`);
  if (exact || BUILT_IN.has(group)) return exact;
  for (let dot = group.indexOf('.'); dot > 0; dot = group.indexOf('.', dot + 1)) {
    const domain = `*${group.slice(dot)}`;
    const found = rules.get(`${domain}/${kind}`) ?? rules.get(`${domain}/*`);
    if (found) return found;
  }
  return judgeByKstatus;
}

function compileTable(): Map<string, HealthRule> {
  const table = new Map<string, HealthRule>();
  for (const [key, given] of HEALTH_RULES.flatMap((group) => Object.entries(group))) {
    const rule = typeof given === 'function' ? given : compileRule(given);
    const [group, kinds = ''] = key.split('/');
    for (const kind of kinds.split(',')) table.set(`${group}/${kind}`, rule);
  }
  return table;
}
