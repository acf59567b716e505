import { FlagField, MapsField, NumberField, WordField } from '../../core/schema/view-fields.js';
import { type Budget, BUDGET_KEYS, type BudgetCheck, type BudgetVerdict } from './budget.js';

const BOUND = { rest: true, optional: true } as const;

/** Bounds of the figures of a run. */
export class BudgetView implements Budget {
  @NumberField(BOUND)
  mean_ms?: number;

  @NumberField(BOUND)
  p50_ms?: number;

  @NumberField(BOUND)
  p75_ms?: number;

  @NumberField(BOUND)
  p90_ms?: number;

  @NumberField(BOUND)
  p95_ms?: number;

  @NumberField(BOUND)
  p99_ms?: number;

  @NumberField(BOUND)
  p999_ms?: number;

  @NumberField(BOUND)
  max_ms?: number;

  @NumberField(BOUND)
  error_rate?: number;

  @NumberField({ ...BOUND, description: 'A lower bound; the others are upper ones.' })
  min_rps?: number;
}

class BudgetCheckView implements BudgetCheck {
  @WordField(BUDGET_KEYS, { rest: true })
  name!: string;

  @NumberField({ rest: true, description: 'The bound.' })
  limit!: number;

  @NumberField({ rest: true, description: 'The figure of the run.' })
  actual!: number;

  @FlagField({ rest: true })
  passed!: boolean;
}

/** Whether a run kept the budget of its profile, bound by bound. */
export class BudgetVerdictView implements BudgetVerdict {
  @FlagField({ rest: true })
  passed!: boolean;

  @MapsField({ rest: true, of: () => BudgetCheckView })
  checks!: BudgetCheck[];
}
