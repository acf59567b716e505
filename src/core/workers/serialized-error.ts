import { AppError, type Fault, InvalidRequest } from '../errors/app-error.js';

/** An error that can be passed between threads: the parts of an AppError, or the message of another error. */
export type SerializedError = { question?: number } & (
  | { message: string }
  | {
      status: number;
      code: string;
      title: string;
      message: string;
      errors: Fault[];
      remedy: string;
      headers: Record<string, string>;
    }
);

/** The questions of a task that failed with these errors, so that the asking thread recognizes its own error. */
const questions = new WeakMap<Error, number>();

export function serializeError(error: unknown): SerializedError {
  const question = error instanceof Error ? questions.get(error) : undefined;
  if (!(error instanceof AppError))
    return { question, message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  const { status, code, title, message, errors, remedy, headers } = error;
  return { question, status, code, title, message, errors, remedy, headers };
}

/** Restores an error from another thread. @param question that failed with it */
export function deserializeError(error: SerializedError, question?: number): Error {
  const restored = restore(error);
  if (question !== undefined) questions.set(restored, question);
  return restored;
}

function restore(error: SerializedError): Error {
  if (!('code' in error)) return new Error(error.message);
  const { status, code, title, message, errors, remedy, headers } = error;
  return status === 400
    ? new InvalidRequest(message, { code, errors, remedy, headers })
    : new AppError(status, code, title, message, { errors, remedy, headers });
}
