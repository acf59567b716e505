import { AppError, type Fault, InvalidRequest } from '../errors/app-error.js';

/** An error that can be passed between threads: the parts of an AppError, or the message of another error. */
export type SerializedError =
  | { message: string }
  | {
      status: number;
      code: string;
      title: string;
      message: string;
      errors: Fault[];
      remedy: string;
      headers: Record<string, string>;
    };

export function serializeError(error: unknown): SerializedError {
  if (!(error instanceof AppError))
    return { message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  const { status, code, title, message, errors, remedy, headers } = error;
  return { status, code, title, message, errors, remedy, headers };
}

/** Restores an error from another thread. */
export function deserializeError(error: SerializedError): Error {
  if (!('code' in error)) return new Error(error.message);
  const { status, code, title, message, errors, remedy, headers } = error;
  return status === 400
    ? new InvalidRequest(message, { code, errors, remedy, headers })
    : new AppError(status, code, title, message, { errors, remedy, headers });
}
