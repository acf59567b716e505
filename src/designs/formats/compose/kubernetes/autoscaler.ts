import type { Json, JsonObject } from '../../../../core/json/json.js';
import { type ServiceConversion, parseWholeNumber } from './conversion.js';

/** The HorizontalPodAutoscaler of the `kompose.hpa.*` labels; by default 50 % CPU and 1 to 3 replicas. */
export function convertAutoscaler(conversion: ServiceConversion, workload: JsonObject): void {
  const of = (key: string, fallback: number): number | undefined => {
    const label = `kompose.hpa.${key}`;
    const value = conversion.label(label);
    const number = value === undefined ? fallback : parseWholeNumber(value.replace(/%$/, ''), 1);
    if (number === undefined) conversion.labelFault(label, 'a whole number of at least 1');
    return number;
  };
  const asked = ['cpu', 'memory', 'replicas.min', 'replicas.max'].some(
    (key) => conversion.label(`kompose.hpa.${key}`) !== undefined,
  );
  if (!asked || (workload.kind !== 'Deployment' && workload.kind !== 'StatefulSet')) return;
  const minReplicas = of('replicas.min', 1);
  const maxReplicas = of('replicas.max', Math.max(3, minReplicas ?? 1));
  const metrics: Json[] = [];
  for (const name of ['cpu', 'memory']) {
    if (
      conversion.label(`kompose.hpa.${name}`) === undefined &&
      (name === 'memory' || conversion.label('kompose.hpa.memory') !== undefined)
    )
      continue;
    metrics.push({
      type: 'Resource',
      resource: { name, target: { type: 'Utilization', averageUtilization: of(name, 50) ?? 50 } },
    });
  }
  if (minReplicas === undefined || maxReplicas === undefined) return;
  if (minReplicas > maxReplicas) {
    conversion.labelFault('kompose.hpa.replicas.max', `at least ${minReplicas}, the value of kompose.hpa.replicas.min`);
  }
  conversion.add({
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: conversion.name, labels: conversion.labels },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: workload.kind, name: conversion.name },
      minReplicas,
      maxReplicas,
      metrics,
    },
  });
}
