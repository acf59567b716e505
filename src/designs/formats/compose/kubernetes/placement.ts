import type { Json, JsonObject } from '../../../../core/json/json.js';
import { definedMembers, type ServiceConversion, parseWholeNumber } from './conversion.js';
import { isLabelKey, isLabelValue } from './names.js';

const nodeKeys: Record<string, string> = {
  'node.hostname': 'kubernetes.io/hostname',
  'node.platform.os': 'kubernetes.io/os',
  'node.platform.arch': 'kubernetes.io/arch',
  'engine.labels.operatingsystem': 'kubernetes.io/os',
};
const architectures: Record<string, string> = { '386': '386', aarch64: 'arm64', x86_64: 'amd64' };

/** The scheduling of pods: `deploy.placement` as affinity and topology spread, `platform` as a node selector. */
export function buildPlacement(conversion: ServiceConversion): JsonObject {
  const { placement } = conversion.service.deploy ?? {};
  const expressions = (placement?.constraints ?? []).flatMap((constraint) => expressionOf(conversion, constraint));
  const single = parseWholeNumber(placement?.max_replicas_per_node);
  if (single !== undefined && single > 1) conversion.keepInComponent('deploy.placement.max_replicas_per_node');
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  return definedMembers({
    nodeSelector: platformOf(conversion),
    affinity: definedMembers({
      nodeAffinity:
        expressions.length > 0 ? { [required]: { nodeSelectorTerms: [{ matchExpressions: expressions }] } } : undefined,
      podAntiAffinity:
        single === 1
          ? {
              [required]: [
                { labelSelector: { matchLabels: conversion.labels }, topologyKey: 'kubernetes.io/hostname' },
              ],
            }
          : undefined,
    }),
    topologySpreadConstraints: spreadOf(conversion),
  });
}

function expressionOf(conversion: ServiceConversion, constraint: string): Json[] {
  const operator = /==|!=/.exec(constraint)?.[0];
  const [left = '', ...others] = operator ? constraint.split(operator).map((part) => part.trim()) : [];
  const right = others.join(operator);
  const positive = operator === '==';
  if (left === 'node.role' && (right === 'manager' || right === 'worker')) {
    const exists = positive === (right === 'manager');
    return [{ key: 'node-role.kubernetes.io/control-plane', operator: exists ? 'Exists' : 'DoesNotExist' }];
  }
  const key = Object.hasOwn(nodeKeys, left) ? nodeKeys[left] : /^node\.labels\.(.+)$/.exec(left)?.[1];
  if (operator === undefined || key === undefined || !isLabelKey(key) || !isLabelValue(right)) {
    conversion.keepInComponent(
      'deploy.placement.constraints',
      `the constraint "${constraint.slice(0, 80)}" is kept; Kubernetes cannot express it`,
    );
    return [];
  }
  return [{ key, operator: positive ? 'In' : 'NotIn', values: [right] }];
}

function spreadOf(conversion: ServiceConversion): Json[] {
  const keys = (conversion.service.deploy?.placement?.preferences ?? []).flatMap(({ spread }) => {
    const key = /^node\.labels\.(.+)$/.exec(spread ?? '')?.[1];
    if (key !== undefined && isLabelKey(key)) return [key];
    conversion.keepInComponent('deploy.placement.preferences');
    return [];
  });
  return [...new Set(keys)].map((topologyKey) => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: conversion.labels },
  }));
}

function platformOf(conversion: ServiceConversion): JsonObject | undefined {
  const { platform } = conversion.service;
  if (!platform) return undefined;
  const [os = '', machine] = platform.toLowerCase().split('/');
  const arch = machine === undefined ? undefined : (architectures[machine] ?? machine);
  if (!/^(linux|windows)$/.test(os) || (arch !== undefined && !isLabelValue(arch))) {
    return conversion.keepInComponent(
      'platform',
      `the platform "${platform.slice(0, 80)}" is kept; it names no node of Kubernetes`,
    );
  }
  return definedMembers({ 'kubernetes.io/os': os, 'kubernetes.io/arch': arch });
}
