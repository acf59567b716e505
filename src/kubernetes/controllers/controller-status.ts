import type { Health } from '../resources/health/health-status.js';
import type { ClusterStatus } from '../status.enum.js';
import type { ControllerInstallation } from './controller-installation.entity.js';

export const PLATFORM_CONTROLLERS = ['BROKER', 'OPERATOR', 'MESHSYNC'] as const;
export type PlatformController = (typeof PLATFORM_CONTROLLERS)[number];

export const CONTROLLER_STATUSES = [
  'DEPLOYED',
  'NOTDEPLOYED',
  'DEPLOYING',
  'UNDEPLOYED',
  'ENABLED',
  'RUNNING',
  'CONNECTED',
  'UNKNOWN',
] as const;
export type PlatformControllerStatus = (typeof CONTROLLER_STATUSES)[number];

/** The state of a controller on a cluster. */
export interface ControllerState {
  controller: PlatformController;
  status: PlatformControllerStatus;
  version: string | null;
  /** The error, if there is one. */
  error: { code: string; description: string } | null;
}

/** A controller's workload on a cluster. */
export interface FoundController {
  health: Health;
  version: string | null;
}

type Wanted = Pick<ControllerInstallation, 'target' | 'pending' | 'failure'>;

/**
 * @param found the workload of the controller; undefined when there is none
 * @param wanted the requested target; null when none was ever requested
 */
export function toControllerState(
  controller: PlatformController,
  found: FoundController | undefined,
  wanted: Wanted | null,
): ControllerState {
  const isComing = wanted?.target === 'enabled' && wanted.pending;
  const failure = wanted?.failure ? { code: wanted.failure.code, description: wanted.failure.detail } : null;
  if (!found) {
    const absent = wanted?.target === 'disabled' ? 'UNDEPLOYED' : 'NOTDEPLOYED';
    return { controller, status: isComing ? 'DEPLOYING' : absent, version: null, error: failure };
  }
  const { health, version } = found;
  const message = health.message ?? 'it is not ready';
  switch (health.status) {
    case 'Healthy':
      return { controller, status: controller === 'MESHSYNC' ? 'RUNNING' : 'DEPLOYED', version, error: null };
    case 'Progressing':
      return { controller, status: 'DEPLOYING', version, error: failure };
    default:
      return {
        controller,
        status: 'UNKNOWN',
        version,
        error: failure ?? { code: 'CONTROLLER_NOT_READY', description: message },
      };
  }
}

/** Converts to the enum `Status`. */
export function toStatus(status: PlatformControllerStatus): ClusterStatus {
  switch (status) {
    case 'DEPLOYING':
      return 'PROCESSING';
    case 'NOTDEPLOYED':
    case 'UNDEPLOYED':
      return 'DISABLED';
    case 'UNKNOWN':
      return 'UNKNOWN';
    case 'CONNECTED':
      return 'CONNECTED';
    default:
      return 'ENABLED';
  }
}
