import type { KubernetesObject } from '../../clusters/kubernetes-object.js';

/** From the best to the worst. */
export const HEALTH_STATUSES = ['Healthy', 'Suspended', 'Progressing', 'Missing', 'Degraded', 'Unknown'] as const;
export type HealthStatus = (typeof HEALTH_STATUSES)[number];

export interface Health {
  status: HealthStatus;
  message: string | null;
}

/** Judges objects of one kind; what is read of spec and status may be anything. */
export type HealthRule = (spec: object, status: object, object: KubernetesObject) => Health | null;

export interface Condition {
  type?: string;
  status?: string;
  reason?: string;
  message?: string;
}

export const healthOf = (status: HealthStatus, message: string | null = null): Health => ({ status, message });

export function findCondition(status: { conditions?: unknown }, type: string): Condition | undefined {
  if (!Array.isArray(status.conditions)) return undefined;
  return (status.conditions as (Condition | null)[]).find((one) => one?.type === type) ?? undefined;
}

/** The worst of several; null when none of them has a health. */
export function findWorstHealth(statuses: readonly (HealthStatus | null)[]): HealthStatus | null {
  const rank = Math.max(...statuses.map((status) => (status ? HEALTH_STATUSES.indexOf(status) : -1)), -1);
  return HEALTH_STATUSES[rank] ?? null;
}
