import { AppError } from '../../core/errors/app-error.js';
import { isTemporary, toAppError } from '../../core/errors/problem.js';
import type { ControllerFailure } from './controller-installation.entity.js';

export const CONTROLLERS_QUEUE = 'controller';

export interface ControllerPayload {
  installation: string;
}

/** Reports whether an error is the outcome of the work; unknown and temporary errors are retried. */
export const isFinal = (error: unknown): error is AppError => error instanceof AppError && !isTemporary(error);

export function toControllerFailure(thrown: unknown): ControllerFailure {
  const { code, message: detail, remedy } = toAppError(thrown);
  return { code, detail, remedy };
}
