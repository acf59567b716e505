import type { Summary } from '../load/runner-results.js';

/** The limits of a run's figures: upper bounds, except the lower bound `min_rps`. */
export const BUDGET_KEYS = [
  'mean_ms',
  'p50_ms',
  'p75_ms',
  'p90_ms',
  'p95_ms',
  'p99_ms',
  'p999_ms',
  'max_ms',
  'error_rate',
  'min_rps',
] as const;
export type Budget = Partial<Record<(typeof BUDGET_KEYS)[number], number>>;

export interface BudgetCheck {
  name: string;
  limit: number;
  actual: number;
  passed: boolean;
}

export interface BudgetVerdict {
  passed: boolean;
  checks: BudgetCheck[];
}

export function checkBudget(budget: Budget, summary: Summary): BudgetVerdict {
  const checks = BUDGET_KEYS.flatMap((name): BudgetCheck[] => {
    const limit = budget[name];
    if (limit === undefined) return [];
    const actual = name === 'min_rps' ? summary.rps : summary[name];
    // A run without any response violates all limits of latency.
    const isMeasured = summary.requests > summary.errors || name === 'error_rate' || name === 'min_rps';
    return [{ name, limit, actual, passed: isMeasured && (name === 'min_rps' ? actual >= limit : actual <= limit) }];
  });
  return { passed: checks.every(({ passed }) => passed), checks };
}

/** Validates a budget. @returns the fault as a phrase that follows the name of the field, or undefined */
export function findBudgetFault(value: unknown): string | undefined {
  const entries = Object.entries(value as object);
  const isSound = ([name, limit]: [string, unknown]): boolean =>
    typeof limit === 'number' && Number.isFinite(limit) && limit >= 0 && (name !== 'error_rate' || limit <= 1);
  return entries.every(isSound) ? undefined : 'must have numbers of at least 0, error_rate one of at most 1';
}
