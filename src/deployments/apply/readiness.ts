import { sanitizeClusterText } from '../../kubernetes/clusters/sanitize-cluster-text.js';
import { groupOf, type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';

/** The readiness of an object. `failed` is final; `waiting` may still become `ready`. */
export type Readiness = { state: 'ready' } | { state: 'waiting' | 'failed'; detail: string };

export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
}

/** The fields of specs and statuses of workload kinds that are read here. */
interface Spec {
  replicas?: number;
  paused?: boolean;
  suspend?: boolean;
  updateStrategy?: { type?: string; rollingUpdate?: { partition?: number } };
}

interface Status {
  observedGeneration?: number;
  replicas?: number;
  updatedReplicas?: number;
  availableReplicas?: number;
  readyReplicas?: number;
  currentRevision?: string;
  updateRevision?: string;
  desiredNumberScheduled?: number;
  updatedNumberScheduled?: number;
  numberAvailable?: number;
  phase?: string;
  reason?: string;
  message?: string;
  conditions?: Condition[];
}

const READY: Readiness = { state: 'ready' };
const waiting = (detail: string): Readiness => ({ state: 'waiting', detail: sanitizeClusterText(detail) });
const failed = (detail: string): Readiness => ({ state: 'failed', detail: sanitizeClusterText(detail) });

const RULES: Record<string, (spec: Spec, status: Status) => Readiness> = {
  'apps/Deployment': deployment,
  'apps/StatefulSet': statefulSet,
  'apps/DaemonSet': daemonSet,
  'apps/ReplicaSet': replicas,
  '/ReplicationController': replicas,
  '/Pod': pod,
  'batch/Job': job,
};

/** Whether objects of this kind have a readiness; others are ready when they have been applied. */
export function becomesReady({ apiVersion, kind }: { apiVersion: string; kind: string }): boolean {
  return Object.hasOwn(RULES, `${groupOf(apiVersion)}/${kind}`);
}

/** Determines the readiness of an object from its status by the rules of `kubectl rollout status` and `kubectl wait`. */
export function getReadiness(object: KubernetesObject): Readiness {
  const rule = RULES[`${groupOf(object.apiVersion)}/${object.kind}`];
  const status = (object.status ?? {}) as Status;
  if (!rule) return READY;
  const { generation } = object.metadata;
  const isObserved =
    object.kind === 'Pod' || object.kind === 'Job' || (status.observedGeneration ?? 0) >= (generation ?? 0);
  return isObserved ? rule(object.spec ?? {}, status) : waiting('its controller has not seen it yet');
}

/** As `getReadiness`, for a task that runs to completion: a pod is ready when it has succeeded. */
export function getCompletion(object: KubernetesObject): Readiness {
  const { phase } = (object.status ?? {}) as Status;
  return object.kind !== 'Pod' || phase === 'Failed' || phase === 'Succeeded'
    ? getReadiness(object)
    : waiting('it has not ended');
}

function deployment(spec: Spec, status: Status): Readiness {
  const progressing = condition(status, 'Progressing');
  if (progressing?.reason === 'ProgressDeadlineExceeded')
    return failed(`ProgressDeadlineExceeded: ${progressing.message ?? ''}`);
  if (spec.paused) return READY;
  const wanted = spec.replicas ?? 1;
  const { updatedReplicas = 0, availableReplicas = 0, replicas: all = 0 } = status;
  const failure = condition(status, 'ReplicaFailure');
  const why = failure?.status === 'True' ? ` (${failure.message})` : '';
  if (updatedReplicas < wanted) return waiting(`${updatedReplicas} of ${wanted} replicas are updated${why}`);
  if (all > updatedReplicas) return waiting(`${all - updatedReplicas} old replicas are still there`);
  if (availableReplicas < updatedReplicas)
    return waiting(`${availableReplicas} of ${updatedReplicas} replicas are available${why}`);
  return READY;
}

function statefulSet(spec: Spec, status: Status): Readiness {
  const wanted = spec.replicas ?? 1;
  const { readyReplicas = 0, updatedReplicas = 0 } = status;
  if (readyReplicas < wanted) return waiting(`${readyReplicas} of ${wanted} replicas are ready`);
  if (spec.updateStrategy?.type === 'OnDelete') return READY;
  const updating = wanted - (spec.updateStrategy?.rollingUpdate?.partition ?? 0);
  const isUpdated = status.updateRevision === status.currentRevision || updatedReplicas >= updating;
  return isUpdated ? READY : waiting(`${updatedReplicas} of ${updating} replicas are updated`);
}

function daemonSet(spec: Spec, status: Status): Readiness {
  const {
    desiredNumberScheduled: wanted = 0,
    updatedNumberScheduled: updated = 0,
    numberAvailable: available = 0,
  } = status;
  if (spec.updateStrategy?.type !== 'OnDelete' && updated < wanted)
    return waiting(`${updated} of ${wanted} nodes have the new pod`);
  return available < wanted ? waiting(`the pods of ${available} of ${wanted} nodes are available`) : READY;
}

function replicas(spec: Spec, { readyReplicas = 0 }: Status): Readiness {
  const wanted = spec.replicas ?? 1;
  return readyReplicas < wanted ? waiting(`${readyReplicas} of ${wanted} replicas are ready`) : READY;
}

function job(spec: Spec, status: Status): Readiness {
  const end = condition(status, 'Failed');
  if (end?.status === 'True') return failed([end.reason, end.message].filter(Boolean).join(': '));
  return spec.suspend || condition(status, 'Complete')?.status === 'True' ? READY : waiting('it is not complete');
}

function pod(_: Spec, status: Status): Readiness {
  if (status.phase === 'Failed')
    return failed([status.reason ?? 'it failed', status.message].filter(Boolean).join(': '));
  const isReady = status.phase === 'Succeeded' || condition(status, 'Ready')?.status === 'True';
  return isReady ? READY : waiting('it is not ready');
}

export function condition(status: { conditions?: Condition[] }, type: string): Condition | undefined {
  return status.conditions?.find((one) => one.type === type);
}
