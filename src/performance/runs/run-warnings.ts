import type { LoadPlan } from '../load/load-plan.js';
import type { Summary } from '../load/runner-results.js';
import type { PerformanceRun } from './run.entity.js';

/** Of all requests: above it, what failed tells too much of the latencies. */
const HIGH_ERROR_RATE = 0.05;
/** A closed load that comes so near to its rate was held back by it. */
const NEAR_RATE = 0.97;

/** Returns the warnings that are necessary to interpret the figures of a run. */
export function warningsOf({ plan, summary }: PerformanceRun): string[] {
  if (!summary) return [];
  return [describeModel(plan, summary), describeSize(summary), describeErrors(summary)].filter(
    (warning) => warning !== undefined,
  );
}

function describeModel({ model, rate }: LoadPlan, { rps }: Summary): string | undefined {
  if (model === 'open') return undefined;
  const hidden =
    'the load model is closed: while the server stalls, connections wait and send nothing, so that few requests see the stall (coordinated omission)';
  if (rps < NEAR_RATE * rate) return hidden;
  return `${hidden}; and the throughput is the rate of ${rate} requests/s, not what the server can do`;
}

function describeSize({ requests }: Summary): string | undefined {
  if (requests >= 1_000) return undefined;
  return `of ${requests} requests ${requests < 100 ? 'p99 and p99.9 are' : 'p99.9 is'} little else than the slowest`;
}

function describeErrors({ requests, errors, error_rate: rate }: Summary): string | undefined {
  if (rate <= HIGH_ERROR_RATE) return undefined;
  return `${errors} of ${requests} requests failed: latencies are those of answers, also of answers that failed at once`;
}
