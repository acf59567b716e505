import type { KubernetesObject } from '../../clusters/kubernetes-object.js';
import { findCondition, type Health, type HealthRule, healthOf } from './health-status.js';

interface Spec {
  replicas?: number;
  paused?: boolean;
  suspend?: boolean;
  restartPolicy?: string;
  updateStrategy?: { type?: string; rollingUpdate?: { partition?: number } | null } | null;
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
  conditions?: unknown;
  containerStatuses?: ContainerStatus[];
  initContainerStatuses?: ContainerStatus[];
}

interface ContainerStatus {
  name?: string;
  ready?: boolean;
  state?: { waiting?: { reason?: string; message?: string } };
  lastState?: { terminated?: object };
}

const unseen = healthOf('Progressing', 'Its controller has not seen the last change');

const isSeen = ({ metadata }: KubernetesObject, { observedGeneration = 0 }: Status): boolean =>
  observedGeneration >= (metadata.generation ?? 0);

/** Workloads, by the rules of `kubectl rollout status`. */
export const WORKLOAD_RULES: Record<string, HealthRule> = {
  'apps/Deployment': deployment,
  'apps/StatefulSet': statefulSet,
  'apps/DaemonSet': daemonSet,
  'apps/ReplicaSet': replicas,
  '/ReplicationController': replicas,
  '/Pod': pod,
  'batch/Job': job,
  'batch/CronJob': cronJob,
};

function deployment(spec: Spec, status: Status, object: KubernetesObject): Health {
  if (spec.paused) return healthOf('Suspended', 'It is paused');
  if (!isSeen(object, status)) return unseen;
  const progressing = findCondition(status, 'Progressing');
  if (progressing?.reason === 'ProgressDeadlineExceeded')
    return healthOf('Degraded', `ProgressDeadlineExceeded: ${progressing.message ?? ''}`);
  const { replicas: all = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
  const wanted = spec.replicas ?? 1;
  if (updatedReplicas < wanted)
    return healthOf('Progressing', `${updatedReplicas} of ${wanted} new replicas have been updated`);
  if (all > updatedReplicas)
    return healthOf('Progressing', `${all - updatedReplicas} old replicas are pending termination`);
  if (availableReplicas < updatedReplicas)
    return healthOf('Progressing', `${availableReplicas} of ${updatedReplicas} updated replicas are available`);
  return healthOf('Healthy');
}

function statefulSet(spec: Spec, status: Status, object: KubernetesObject): Health {
  if (!isSeen(object, status)) return unseen;
  const wanted = spec.replicas ?? 1;
  const { readyReplicas = 0, updatedReplicas = 0, updateRevision, currentRevision } = status;
  if (readyReplicas < wanted) return healthOf('Progressing', `${readyReplicas} of ${wanted} replicas are ready`);
  if (spec.updateStrategy?.type === 'OnDelete') return healthOf('Healthy');
  const partition = spec.updateStrategy?.rollingUpdate?.partition ?? 0;
  const isUpdated = partition > 0 ? updatedReplicas >= wanted - partition : updateRevision === currentRevision;
  if (isUpdated) return healthOf('Healthy');
  return healthOf('Progressing', `${updatedReplicas} of ${wanted - partition} replicas have been updated`);
}

function daemonSet(spec: Spec, status: Status, object: KubernetesObject): Health {
  if (!isSeen(object, status)) return unseen;
  if (spec.updateStrategy?.type === 'OnDelete') return healthOf('Healthy');
  const { desiredNumberScheduled = 0, updatedNumberScheduled = 0, numberAvailable = 0 } = status;
  if (updatedNumberScheduled < desiredNumberScheduled)
    return healthOf('Progressing', `${updatedNumberScheduled} of ${desiredNumberScheduled} new pods have been updated`);
  if (numberAvailable < desiredNumberScheduled)
    return healthOf('Progressing', `${numberAvailable} of ${desiredNumberScheduled} pods are available`);
  return healthOf('Healthy');
}

function replicas(spec: Spec, status: Status, object: KubernetesObject): Health {
  if (!isSeen(object, status)) return unseen;
  const failure = findCondition(status, 'ReplicaFailure');
  if (failure?.status === 'True') return healthOf('Degraded', failure.message ?? null);
  const { availableReplicas = 0 } = status;
  const wanted = spec.replicas ?? 1;
  if (availableReplicas >= wanted) return healthOf('Healthy');
  return healthOf('Progressing', `${availableReplicas} of ${wanted} replicas are available`);
}

/** Waiting reasons of containers that do not resolve by themselves. */
const FAULT_REASON = /^Err|Error$|BackOff$|^InvalidImageName$/;

function pod(spec: Spec, status: Status): Health {
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  for (const { name, state } of containers) {
    const { reason, message } = state?.waiting ?? {};
    if (reason && FAULT_REASON.test(reason))
      return healthOf('Degraded', [`container ${name}`, reason, message].filter(Boolean).join(': '));
  }
  switch (status.phase) {
    case 'Succeeded':
      return healthOf('Healthy', status.message ?? null);
    case 'Failed':
      return healthOf('Degraded', [status.reason, status.message].filter(Boolean).join(': ') || 'It has failed');
    case 'Running': {
      if (spec.restartPolicy === 'OnFailure' || spec.restartPolicy === 'Never')
        return healthOf('Progressing', 'It has not ended yet');
      if (findCondition(status, 'Ready')?.status === 'True') return healthOf('Healthy');
      const hasRestarted = containers.some(({ ready, lastState }) => !ready && lastState?.terminated);
      return hasRestarted
        ? healthOf('Degraded', 'A container has restarted and is not ready')
        : healthOf('Progressing', 'It is not ready');
    }
    case 'Pending': {
      const { status: scheduled, reason, message } = findCondition(status, 'PodScheduled') ?? {};
      return healthOf(
        'Progressing',
        (scheduled === 'False' && [reason, message].filter(Boolean).join(': ')) || 'It is pending',
      );
    }
    default:
      return healthOf('Unknown', status.message ?? null);
  }
}

function job(spec: Spec, status: Status): Health {
  const failed = findCondition(status, 'Failed');
  if (failed?.status === 'True')
    return healthOf('Degraded', [failed.reason, failed.message].filter(Boolean).join(': ') || null);
  if (findCondition(status, 'Complete')?.status === 'True') return healthOf('Healthy');
  if (spec.suspend || findCondition(status, 'Suspended')?.status === 'True')
    return healthOf('Suspended', 'It is suspended');
  return healthOf('Progressing', 'It is not complete');
}

function cronJob(spec: Spec): Health {
  return spec.suspend ? healthOf('Suspended', 'It is suspended') : healthOf('Healthy');
}
