import { canonicalJson } from '../../core/json/canonical-json.js';
import type { LoadPlan } from '../load/load-plan.js';
import type { Measurement } from '../load/measurement.js';
import type { PerformanceRun } from '../runs/run.entity.js';
import { MIN_SLICES } from './bootstrap.js';

/** Reports whether the throughput of two runs is comparable; it is not for different target rates. */
export const isThroughputComparable = (a: LoadPlan, b: LoadPlan): boolean =>
  (['rate', 'stages', 'model'] as const).every((name) => isEqual(a, b, name));

const isEqual = (a: LoadPlan, b: LoadPlan, name: keyof LoadPlan): boolean =>
  canonicalJson(a[name]) === canonicalJson(b[name]);

/** Lists the fields in which the plans of two runs differ, including the generator. */
export function differ(a: PerformanceRun, b: PerformanceRun): string[] {
  const all = new Set(Object.keys({ ...a.plan, ...b.plan }) as (keyof LoadPlan)[]);
  const names = [...all].filter((name) => !isEqual(a.plan, b.plan, name));
  return [...names, ...(a.generator === b.generator ? [] : ['load_generator'])];
}

/** Warns about differences between the runs that may have another cause than the servers. */
export function warningsOfComparison(
  a: PerformanceRun,
  b: PerformanceRun,
  measurements: { a: Measurement; b: Measurement },
): string[] {
  const warnings: string[] = [];
  const { plan: before } = a;
  const { plan: after } = b;
  if (before.model !== after.model)
    warnings.push(
      `the load models differ (${before.model} and ${after.model}): an open one measures from the time when a request was due, a closed one from sending it`,
    );
  if (!isThroughputComparable(before, after))
    warnings.push(
      `the rates that were asked for are not alike (${describeRate(before)}, ${describeRate(after)}): the verdict leaves out the throughput`,
    );
  if (before.connections !== after.connections)
    warnings.push(`the connections differ (${before.connections} and ${after.connections})`);
  if (a.generator !== b.generator)
    warnings.push(`the load generators differ (${a.generator} and ${b.generator}), which measure in different ways`);
  const shortest = Math.min(measurements.a.slices.length, measurements.b.slices.length);
  if (shortest < MIN_SLICES)
    warnings.push(
      `a run has fewer than ${MIN_SLICES} seconds: how much the server varies from second to second is not known`,
    );
  else if (before.seconds > 2 * after.seconds || after.seconds > 2 * before.seconds)
    warnings.push(
      `the runs last ${before.seconds} s and ${after.seconds} s: the interval is as wide as the short one asks for`,
    );
  return warnings;
}

function describeRate({ model, rate, stages = [] }: LoadPlan): string {
  const changes = stages.map((stage) => `, to ${stage.rate} in ${stage.seconds} s`);
  return `${model} load of ${rate} requests/s${changes.join('')}`;
}
