import { sanitizeClusterText } from '../../kubernetes/clusters/sanitize-cluster-text.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { findCondition } from '../../kubernetes/resources/health/health-status.js';

/** Why a pod is not ready. */
export interface PodFailure {
  /** For example `container app: CrashLoopBackOff`. */
  detail: string;
  /** Milliseconds after which the state counts as final; undefined for a state that is transient or unknown. */
  finalAfterMs?: number;
}

interface ContainerStatus {
  name: string;
  ready?: boolean;
  restartCount?: number;
  state?: { waiting?: { reason?: string; message?: string }; terminated?: { reason?: string; exitCode?: number } };
}

interface PodStatus {
  conditions?: unknown;
  containerStatuses?: ContainerStatus[];
  initContainerStatuses?: ContainerStatus[];
}

/** Number of restarts after which a crashing container counts as failed. */
const MANY_RESTARTS = 3;
const CRASH_LOOP_MS = 10_000;

/** These states may end without a change of the pod: when something missing is created, or capacity is freed. */
const FINAL_AFTER_MS: Record<string, number> = {
  ImagePullBackOff: 0,
  InvalidImageName: 0,
  CreateContainerConfigError: 5_000,
  CreateContainerError: 5_000,
};
const UNSCHEDULABLE_MS = 10_000;

/**
 * The reason in the status of a pod, if any.
 * @param mayCrash true for a pod whose job limits the number of failures itself
 */
export function findPodFailure(object: KubernetesObject, mayCrash = false): PodFailure | undefined {
  const status = (object.status ?? {}) as PodStatus;
  for (const container of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]) {
    const failure = findContainerFailure(container, mayCrash);
    if (failure) return { ...failure, detail: sanitizeClusterText(`container ${container.name}${failure.detail}`) };
  }
  const scheduled = findCondition(status, 'PodScheduled');
  if (scheduled?.status !== 'False') return undefined;
  const detail = sanitizeClusterText([scheduled.reason, scheduled.message].filter(Boolean).join(': '));
  return { detail, ...(scheduled.reason === 'Unschedulable' && { finalAfterMs: UNSCHEDULABLE_MS }) };
}

function findContainerFailure(
  { ready, restartCount = 0, state }: ContainerStatus,
  mayCrash: boolean,
): PodFailure | undefined {
  const held = state?.waiting;
  if (held?.reason && held.reason !== 'PodInitializing' && held.reason !== 'ContainerCreating') {
    const detail = `: ${[held.reason, held.message].filter(Boolean).join(': ')}`;
    const crashes = held.reason === 'CrashLoopBackOff' && !mayCrash;
    const finalAfterMs = crashes ? (restartCount < MANY_RESTARTS ? CRASH_LOOP_MS : 0) : FINAL_AFTER_MS[held.reason];
    return { detail, ...(finalAfterMs !== undefined && { finalAfterMs }) };
  }
  const ended = state?.terminated;
  if (ended?.exitCode) return { detail: `: ${ended.reason ?? 'Error'} with exit code ${ended.exitCode}` };
  if (ready === false && state && 'running' in state) return { detail: ' runs but is not ready' };
  return undefined;
}
