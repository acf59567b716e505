import { isBuiltIn } from '../../../validation/native/built-in-groups.js';
import { groupOf, type KubernetesObject } from '../../clusters/kubernetes-object.js';
import { sanitizeClusterText } from '../../clusters/sanitize-cluster-text.js';
import { compileRule, type HealthRule } from './health-rule.js';
import type { Health, Judgement } from './health-status.js';
import { KSTATUS } from './rules/common.js';
import { HEALTH_RULES } from './rules/rules.js';

const MAX_MESSAGE = 1_000;

/** Groups of Kubernetes beside those that its API server has built in: one that was removed, and that of the metrics server. */
const OTHER_GROUPS = new Set(['extensions', 'metrics.k8s.io']);

/** Whether the kinds of a group are of Kubernetes itself: these have a rule, or no health. */
export const isOfKubernetes = (apiVersion: string): boolean =>
  isBuiltIn(apiVersion) || OTHER_GROUPS.has(groupOf(apiVersion));

const judgeByKstatus = compileRule(KSTATUS);
const rules = compileTable();

/** Reports whether objects of a kind have a health. */
export const hasHealth = (apiVersion: string, kind: string): boolean => findRule(apiVersion, kind) !== undefined;

/** Assesses the health of an object; null for kinds without health, such as ConfigMap. */
export function assessHealth(object: KubernetesObject): Health | null {
  const judgement = judgeHealth(object);
  return judgement && { status: judgement.status, message: judgement.message };
}

/** As `assessHealth`, with what matters to those who wait for the object. */
export function judgeHealth(object: KubernetesObject): Judgement | null {
  const { deletionTimestamp, generation } = object.metadata;
  if (deletionTimestamp) return { status: 'Progressing', message: 'It is being deleted' };
  const rule = findRule(object.apiVersion, object.kind);
  if (!rule) return null;
  if (!isOfKubernetes(object.apiVersion) && isUnseen(object['status'], generation))
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

function findRule(apiVersion: string, kind: string): HealthRule | undefined {
  const group = groupOf(apiVersion);
  const exact = rules.get(`${group}/${kind}`) ?? rules.get(`${group}/*`);
  if (exact || isOfKubernetes(apiVersion)) return exact;
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
