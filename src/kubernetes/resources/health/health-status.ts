/** From best to worst. */
export const HEALTH_STATUSES = ['Healthy', 'Suspended', 'Progressing', 'Missing', 'Degraded', 'Unknown'] as const;
export type HealthStatus = (typeof HEALTH_STATUSES)[number];

export interface Health {
  status: HealthStatus;
  message: string | null;
}

/** A health, and what it means to those who wait until it is better. */
export interface Judgement extends Health {
  /** It does not become healthy without being changed. */
  isFinal?: boolean;
  /** It waits for something that no deployment brings, such as the address of a load balancer. */
  isOutside?: boolean;
  /** `Suspended`, but nobody wanted that. */
  isStuck?: boolean;
}

export interface Condition {
  type?: string;
  status?: string;
  reason?: string;
  message?: string;
}

export const healthOf = (status: HealthStatus, message: string | null = null): Health => ({ status, message });

/** A condition of a status, which may be malformed. */
export function findCondition(status: unknown, type: string): Condition | undefined {
  const { conditions } = (status ?? {}) as { conditions?: unknown };
  if (!Array.isArray(conditions)) return undefined;
  return (conditions as (Condition | null)[]).find((one) => one?.type === type) ?? undefined;
}

/** Returns the worst status; null when none has a health. */
export function findWorstHealth(statuses: readonly (HealthStatus | null)[]): HealthStatus | null {
  const rank = Math.max(...statuses.map((status) => (status ? HEALTH_STATUSES.indexOf(status) : -1)), -1);
  return HEALTH_STATUSES[rank] ?? null;
}
