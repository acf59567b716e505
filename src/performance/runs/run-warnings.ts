import type { LoadPlan } from '../load/load-plan.js';
import type { Summary } from '../load/runner-results.js';
import type { RunStatus } from '../profiles/run-status.js';
import type { PerformanceRun } from './run.entity.js';

/** Of all requests: above it, what failed tells too much of the latencies. */
const HIGH_ERROR_RATE = 0.05;
/** A closed load that comes so near to its rate was held back by it. */
const NEAR_RATE = 0.97;

/** A share of requests that waited for a connection, from which latencies say more of the connections than of the server. */
const MANY_WAITED = 0.01;
/** An open load that sends less than this share of its rate has not kept it. */
const KEPT_RATE = 0.98;
/** A generator that is later than this, and than a tenth of the median, is part of what it measures. */
const LEAST_LAG_MS = 5;
const LAG_OF_MEDIAN = 0.1;

/** Returns the warnings that are necessary to interpret the figures of a run. */
export function warningsOf({ plan, summary, status, restarts }: PerformanceRun): string[] {
  if (!summary) return [];
  return [
    describeEnd(status, summary, plan),
    describeRestarts(restarts),
    describeSuccess(summary),
    describeModel(plan, summary),
    describeRate(plan, summary),
    describeWaiting(summary, plan),
    describeLag(summary),
    describeSize(summary),
    describeErrors(summary),
  ].filter((warning) => warning !== undefined);
}

function describeEnd(status: RunStatus, { requests }: Summary, { seconds }: LoadPlan): string | undefined {
  if (status !== 'cancelled' && status !== 'failed') return undefined;
  return `the run ${status === 'failed' ? 'failed' : 'was cancelled'} before its end: the figures are those of ${requests} requests, of a part of its ${seconds} s`;
}

function describeRestarts(restarts: number): string | undefined {
  if (restarts === 0) return undefined;
  return `the run was begun anew ${restarts === 1 ? 'once' : `${restarts} times`}, as the server was restarted: the target has had more requests than are counted here`;
}

function describeSuccess({ successful, requests }: Summary): string | undefined {
  return successful === 0 && requests > 0 ? 'no response was 2xx: see the statuses' : undefined;
}

function describeRate({ model }: LoadPlan, { sent_rps: sent, due_rps: due }: Summary): string | undefined {
  if (model === 'closed' || sent === null || due === null || sent >= KEPT_RATE * due) return undefined;
  return `the rate was not kept: ${sent} requests/s were sent within the duration, of ${due} requests/s`;
}

function describeWaiting(summary: Summary, { connections }: LoadPlan): string | undefined {
  const { waited, requests, service_p99_ms: service, p99_ms: whole } = summary;
  if (waited === null || waited < MANY_WAITED * requests) return undefined;
  return `every connection was busy when ${waited} of ${requests} requests were due: they waited for one of ${connections}, and their latencies include the wait (p99 ${whole} ms, from sending ${service} ms). The server stalled, or the connections are too few: raise concurrent_request, or send 0 to open as many as the rate needs`;
}

function describeLag({ generator_lag_ms: lag, p50_ms: median }: Summary): string | undefined {
  if (lag === null || lag <= Math.max(LEAST_LAG_MS, LAG_OF_MEDIAN * median)) return undefined;
  return `the load generator was late with 1 % of the requests by ${lag} ms and more: latencies may be its own, use a lower rate`;
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
