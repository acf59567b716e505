import { AppError } from '../../core/errors/app-error.js';
import { isTemporary, type Problem, toAppError } from '../../core/errors/problem.js';
import type { FinishedJob } from '../../jobs/job.js';
import { isPassing } from '../clusters/cluster-error.js';
import type { ControllerFailure } from './controller-installation.entity.js';

export const CONTROLLERS_QUEUE = 'controller';

export interface ControllerPayload {
  installation: string;
  /** The number of the request that enqueued it; a job of the version before has none. */
  request?: number;
}

/** Reports whether an error is the outcome of the work; unknown and temporary errors are retried. */
export const isFinal = (error: unknown): error is AppError =>
  error instanceof AppError && !isTemporary(error) && !isPassing(error);

export function toControllerFailure(thrown: unknown): ControllerFailure {
  const { code, message: detail, remedy } = toAppError(thrown);
  return { code, detail, remedy };
}

/** Why a job ended without an outcome. */
export function toJobFailure(job: FinishedJob<ControllerPayload>): ControllerFailure {
  if (job.status === 'cancelled')
    return {
      code: 'CONTROLLER_CANCELLED',
      detail: 'the change was cancelled, and may have been made in part',
      remedy: 'Request the state that it shall have.',
    };
  const { code, detail, remedy } = job.error as Problem;
  return { code, detail, remedy };
}
