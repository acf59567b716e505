import type { HttpException } from '@nestjs/common';
import { DatabaseUnavailable, isOutage } from '../database/outage.js';
import { AppError, InvalidRequest, Unauthenticated } from './app-error.js';

/** The problem document of RFC 9457 that every failed REST call answers with. */
export interface Problem extends Record<string, unknown> {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  error: string;
  errors: unknown[];
  remedy?: string;
  request_id: string;
}

const DOCUMENTATION = 'https://armature.dev/errors';

export function problemOf(error: AppError, requestId: string): Problem {
  return {
    type: `${DOCUMENTATION}/${error.code.toLowerCase().replaceAll('_', '-')}`,
    title: error.title,
    status: error.status,
    detail: error.message,
    code: error.code,
    error: error.message,
    errors: error.errors,
    ...(error.remedy ? { remedy: error.remedy } : {}),
    ...error.extensions,
    request_id: requestId,
  };
}

/** The only thing a caller learns of a fault of ours is the id under which the log tells it. */
export function internalError(cause: unknown): AppError {
  return new AppError(500, 'INTERNAL_ERROR', 'Internal error', 'The server failed on this request.', {
    remedy: 'Tell the operator the request id.',
    cause,
  });
}

interface HttpError {
  status?: number;
  statusCode?: number;
  type?: string;
  message?: string;
  body?: unknown;
  limit?: number;
  expose?: boolean;
}

/** Turns whatever was thrown into an error with a name: ours, those of the framework and of the body parsers, else 500. */
export function asAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const error = (thrown ?? {}) as HttpError & Partial<HttpException>;
  const ofDatabase = databaseError(thrown);
  if (ofDatabase) return ofDatabase;
  switch (error.type) {
    case 'entity.parse.failed': {
      // The parser's own message quotes the body, which may hold a secret.
      const position = /position (\d+)/.exec(error.message ?? '')?.[1];
      const detail = position ? `is not valid JSON at position ${position}` : 'is not valid JSON';
      return new InvalidRequest(`the body ${detail}`, {
        code: 'MALFORMED_JSON',
        errors: [{ pointer: '', detail }],
        remedy: 'Send a JSON object, and the header "Content-Type: application/json".',
      });
    }
    case 'entity.too.large':
      return tooLarge(`the body is larger than ${error.limit ?? 'the limit'} bytes`);
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new AppError(
        415,
        'UNSUPPORTED_MEDIA_TYPE',
        'Unsupported media type',
        error.message ?? 'unsupported encoding',
      );
    case 'request.aborted':
    case 'request.size.invalid':
    case 'entity.verify.failed':
      return new InvalidRequest(error.message ?? 'the body was not received whole');
    default:
  }
  const status = typeof error.getStatus === 'function' ? error.getStatus() : (error.status ?? error.statusCode);
  const detail = error.message ?? 'the request was refused';
  switch (status) {
    case 400:
      return new InvalidRequest(detail);
    case 401:
      return new Unauthenticated(detail);
    case 404:
      return new AppError(404, 'NOT_FOUND', 'Not found', detail, { remedy: 'The routes are listed at /api/docs.' });
    case 413:
      return tooLarge(detail);
    case 415:
      return new AppError(415, 'UNSUPPORTED_MEDIA_TYPE', 'Unsupported media type', detail);
    default:
      return internalError(thrown);
  }
}

/** The server ended a statement that took too long. */
const CANCELED = '57014';
/** Of two transactions that wait for each other, or that cannot both be right, PostgreSQL ends one (class 40). */
const ROLLED_BACK = new Set(['40001', '40P01']);

/** What the database says of being busy is no fault of the request, nor of ours: the same call may pass in a moment. */
function databaseError(thrown: unknown): AppError | undefined {
  const { message, driverError } = (thrown ?? {}) as { message?: string; driverError?: { code?: string } };
  if (isOutage(thrown)) return new DatabaseUnavailable(thrown);
  if (message === 'timeout exceeded when trying to connect')
    return tooBusy('No connection to the database was free in time.', thrown);
  if (driverError?.code === CANCELED) return tooBusy('The database did not answer in time.', thrown);
  if (!ROLLED_BACK.has(driverError?.code ?? '')) return undefined;
  return new AppError(409, 'CONCURRENT_CHANGE', 'Conflict', 'Another change of the same records came between.', {
    remedy: 'Repeat the request.',
    cause: thrown,
  });
}

function tooBusy(detail: string, cause: unknown): AppError {
  return new AppError(503, 'TOO_BUSY', 'Too busy', detail, {
    remedy: 'Try again in a few seconds.',
    headers: { 'Retry-After': '5' },
    cause,
  });
}

export function tooLarge(detail: string): AppError {
  return new AppError(413, 'TOO_LARGE', 'Too large', detail, {
    remedy: 'Send less, or ask the operator to raise the limit.',
  });
}
