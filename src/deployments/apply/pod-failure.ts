import { sanitizeClusterText } from '../../kubernetes/clusters/sanitize-cluster-text.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { condition, type Condition } from './readiness.js';

/** What keeps a pod from being ready. */
export interface PodFailure {
  /** Such as `container app: CrashLoopBackOff`. */
  detail: string;
  /** For so long it lasts until it is taken for final; without it, it passes by itself or it is not known. */
  finalAfterMs?: number;
}

interface ContainerStatus {
  name: string;
  ready?: boolean;
  restartCount?: number;
  state?: { waiting?: { reason?: string; message?: string }; terminated?: { reason?: string; exitCode?: number } };
}

interface PodStatus {
  conditions?: Condition[];
  containerStatuses?: ContainerStatus[];
  initContainerStatuses?: ContainerStatus[];
}

/** So often a container has been restarted when nobody waits for it to come up by itself. */
const MANY_RESTARTS = 3;
const CRASH_LOOP_MS = 10_000;

/** Something else may yet bring what is missing, or make room. */
const FINAL_AFTER_MS: Record<string, number> = {
  ImagePullBackOff: 0,
  InvalidImageName: 0,
  CreateContainerConfigError: 5_000,
  CreateContainerError: 5_000,
};
const UNSCHEDULABLE_MS = 10_000;

/**
 * What the status of a pod names; undefined when it names nothing.
 * @param mayCrash its job counts by itself how often it may
 */
export function findPodFailure(object: KubernetesObject, mayCrash = false): PodFailure | undefined {
  const status = (object.status ?? {}) as PodStatus;
  for (const container of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]) {
    const failure = findContainerFailure(container, mayCrash);
    if (failure) return { ...failure, detail: sanitizeClusterText(`container ${container.name}${failure.detail}`) };
  }
  const scheduled = condition(status, 'PodScheduled');
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
