import type { KubernetesObject } from '../../../clusters/kubernetes-object.js';
import { findCondition, type Judgement } from '../health-status.js';

interface PodStatus {
  phase?: string;
  reason?: string;
  message?: string;
  conditions?: unknown;
  containerStatuses?: ContainerStatus[] | null;
  initContainerStatuses?: ContainerStatus[] | null;
}

interface ContainerStatus {
  name?: string;
  ready?: boolean;
  state?: {
    waiting?: { reason?: string; message?: string };
    terminated?: { reason?: string; message?: string; exitCode?: number };
  };
  lastState?: { terminated?: object };
}

/** The annotation of Argo CD for pods that run for ever though their restart policy is for those that end. */
const IGNORE_RESTART_POLICY = 'argocd.argoproj.io/ignore-restart-policy';

/** Waiting reasons of containers that do not resolve by themselves. */
const FAULT = /^Err|Error$|BackOff$|^InvalidImageName$/;

/** A pod that is to run is healthy when it is ready; one that is to end when it has succeeded. */
export function judgePod(object: KubernetesObject): Judgement {
  const status = (object['status'] ?? {}) as PodStatus;
  const { restartPolicy = 'Always' } = (object['spec'] ?? {}) as { restartPolicy?: string };
  const runs = restartPolicy === 'Always' || object.metadata.annotations?.[IGNORE_RESTART_POLICY] === 'true';
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const fault = findFault(containers);
  if (runs && fault) return { status: 'Degraded', message: fault };
  switch (status.phase) {
    case 'Succeeded':
      return { status: 'Healthy', message: status.message ?? null };
    case 'Failed':
      return { status: 'Degraded', message: toFailure(status, containers), isFinal: true };
    case 'Running': {
      if (!runs) return { status: 'Progressing', message: fault ?? 'It has not ended yet' };
      if (findCondition(status, 'Ready')?.status === 'True') return { status: 'Healthy', message: null };
      const hasRestarted = containers.some(({ ready, lastState }) => !ready && lastState?.terminated);
      return hasRestarted
        ? { status: 'Degraded', message: 'A container has restarted and is not ready' }
        : { status: 'Progressing', message: 'It is not ready' };
    }
    case 'Pending':
      return { status: 'Progressing', message: fault ?? findSchedulingFault(status) ?? 'It is pending' };
    default:
      return { status: 'Unknown', message: status.message ?? null };
  }
}

function findFault(containers: ContainerStatus[]): string | undefined {
  for (const { name, state } of containers) {
    const { reason, message } = state?.waiting ?? {};
    if (reason && FAULT.test(reason)) return toText(`container ${name}`, reason, message);
  }
  return undefined;
}

function toFailure({ reason, message }: PodStatus, containers: ContainerStatus[]): string {
  const failed = containers.find(({ state }) => state?.terminated?.exitCode);
  const ended = failed?.state?.terminated;
  return (
    toText(reason, message) ||
    (ended && toText(`container ${failed.name}`, ended.reason, ended.message ?? `exit code ${ended.exitCode}`)) ||
    'It has failed'
  );
}

function findSchedulingFault(status: PodStatus): string | undefined {
  const scheduled = findCondition(status, 'PodScheduled');
  return (scheduled?.status === 'False' && toText(scheduled.reason, scheduled.message)) || undefined;
}

const toText = (...parts: (string | undefined)[]): string => parts.filter(Boolean).join(': ');
