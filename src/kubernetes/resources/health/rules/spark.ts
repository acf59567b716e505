import type { KubernetesObject } from '../../../clusters/kubernetes-object.js';
import { compileRule } from '../health-rule.js';
import type { Judgement } from '../health-status.js';
import { byWord } from './common.js';

interface Spec {
  dynamicAllocation?: { enabled?: boolean; minExecutors?: number; maxExecutors?: number };
  executor?: { instances?: number };
  sparkConf?: Record<string, string>;
}

const byState = compileRule(
  byWord('/status/applicationState/state', {
    Healthy: 'COMPLETED',
    Degraded: ['FAILED', 'SUBMISSION_FAILED', 'FAILING'],
    Missing: 'INVALIDATING',
  }),
);

/** While a SparkApplication runs it is healthy when it has as many executors as it is to have. */
export function judgeSparkApplication(object: KubernetesObject): Judgement {
  const { applicationState, executorState } = (object['status'] ?? {}) as {
    applicationState?: { state?: string };
    executorState?: Record<string, string>;
  };
  if (applicationState?.state !== 'RUNNING') return byState(object);
  const running = Object.values(executorState ?? {}).filter((state) => state === 'RUNNING').length;
  const { least, most } = getExecutorRange(object['spec'] ?? {});
  if (executorState && running >= least && running <= most) return { status: 'Healthy', message: null };
  return { status: 'Progressing', message: `${running} executors are running` };
}

function getExecutorRange({ dynamicAllocation, executor, sparkConf = {} }: Spec): { least: number; most: number } {
  if (dynamicAllocation?.enabled) return toRange(dynamicAllocation.minExecutors, dynamicAllocation.maxExecutors);
  for (const prefix of ['spark.streaming.dynamicAllocation', 'spark.dynamicAllocation'])
    if (sparkConf[`${prefix}.enabled`] === 'true')
      return toRange(sparkConf[`${prefix}.minExecutors`], sparkConf[`${prefix}.maxExecutors`]);
  const { instances } = executor ?? {};
  return instances === undefined ? { least: 1, most: Infinity } : { least: instances, most: instances };
}

const toRange = (least: number | string = 0, most: number | string = Infinity): { least: number; most: number } => ({
  least: Number(least),
  most: Number(most),
});
