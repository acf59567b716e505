import type { HttpException } from '@nestjs/common';
import { DatabaseUnavailable, isDatabaseOutage } from './database-outage.js';
import { AppError, truncate, type Fault, MAX_FAULTS, InvalidRequest, Unauthenticated } from './app-error.js';
import { limitRemedy, type LimitSetting } from './limit-remedy.js';

/** The RFC 9457 problem document of every failed REST request. */
export interface Problem extends Record<string, unknown> {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  error: string;
  errors: unknown[];
  remedy: string;
  request_id: string;
}

const ERROR_REFERENCE_PATH = '/api/docs/errors';
/** The URI of the page of error codes; RFC 9457 recommends an absolute URI over a relative reference. */
let errorReference = ERROR_REFERENCE_PATH;

/** Sets the base URL of the `type` of problem documents. */
export function setErrorReference(baseUrl: string): void {
  errorReference = new URL(ERROR_REFERENCE_PATH, baseUrl).href;
}

/** The anchor of an error code on the page of error codes. */
export const typeFragmentOf = (code: string): string => code.toLowerCase().replaceAll('_', '-');

export function toProblem(error: AppError, requestId: string): Problem {
  return {
    type: `${errorReference}#${typeFragmentOf(error.code)}`,
    title: error.title,
    status: error.status,
    detail: error.message,
    code: error.code,
    error: error.message,
    errors: limitFaults(error.errors),
    remedy: error.remedy,
    ...error.extensions,
    request_id: requestId,
  };
}

/** The maximum length of a text in a fault, which may quote user input. */
const MAX_TEXT_LENGTH = 500;

export const moreFaultsText = (count: number): string =>
  count === 1 ? '1 more fault is not listed' : `${count} more faults are not listed`;

/**
 * Returns at most `limit` entries; when faults are left out, the last entry states how many.
 * @param omitted faults that were only counted
 */
export function listFaults<F extends Fault>(faults: readonly F[], omitted: number, limit = MAX_FAULTS): (F | Fault)[] {
  if (omitted === 0 && faults.length <= limit) return [...faults];
  const shown = faults.slice(0, limit - 1);
  return [...shown, { detail: moreFaultsText(faults.length + omitted - shown.length) }];
}

/** Limits the number and the length of the faults in a response. */
export const limitFaults = (faults: readonly Fault[]): Fault[] =>
  listFaults(faults, 0).map((fault) => ({
    ...fault,
    ...(fault.pointer === undefined ? {} : { pointer: truncate(fault.pointer, MAX_TEXT_LENGTH) }),
    detail: truncate(fault.detail, MAX_TEXT_LENGTH),
  }));

/** Creates the 500 response, which identifies the logged error only by the request id. */
export function internalError(cause: unknown): AppError {
  return new AppError(500, 'INTERNAL_ERROR', 'Internal error', 'The server failed on this request.', {
    remedy: 'Report the request id to the operator.',
    cause,
  });
}

interface HttpError {
  status?: number;
  statusCode?: number;
  message?: string;
}

/** Converts any thrown value: application errors are returned, framework and database errors mapped, all others become 500. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const error = (thrown ?? {}) as HttpError & Partial<HttpException>;
  const ofDatabase = fromDatabaseError(thrown);
  if (ofDatabase) return ofDatabase;
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
      return payloadTooLarge(detail);
    case 415:
      return unsupportedMediaType(detail, 'Send application/json.');
    default:
      return internalError(thrown);
  }
}

/** SQLSTATEs of statements that the server cancelled by `statement_timeout` or `lock_timeout`. */
const ENDED_STATEMENTS = new Set(['57014', '55P03']);
/** SQLSTATEs of serialization failures and deadlocks (class 40). */
const TRANSACTION_ROLLBACK = new Set(['40001', '40P01']);
/** SQLSTATEs of text that cannot be stored: the NUL character, or characters outside the encoding of the database. */
const UNSTORABLE_TEXT = new Set(['22021', '22P05']);

/** Reports whether a retry may succeed soon: this server or its database is busy or unavailable. */
export function isTemporary(thrown: unknown): boolean {
  const { status } = toAppError(thrown);
  return status === 429 || status === 503;
}

/** Maps errors of an overloaded database, after which a retry of the request may succeed. */
function fromDatabaseError(thrown: unknown): AppError | undefined {
  const { driverError } = (thrown ?? {}) as { driverError?: { code?: string } };
  if (isDatabaseOutage(thrown)) return DatabaseUnavailable.from(thrown);
  if (ENDED_STATEMENTS.has(driverError?.code ?? '')) return tooBusy('The database did not answer in time.', thrown);
  if (UNSTORABLE_TEXT.has(driverError?.code ?? ''))
    return new InvalidRequest('a text of the request holds a character that cannot be stored, such as NUL');
  if (!TRANSACTION_ROLLBACK.has(driverError?.code ?? '')) return undefined;
  return new AppError(409, 'CONCURRENT_CHANGE', 'Conflict', 'The same records were changed concurrently.', {
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

/** @param setting the setting that raises the limit, if there is one */
export function payloadTooLarge(detail: string, setting?: LimitSetting): AppError {
  const remedy = setting ? limitRemedy('Send less.', setting) : 'Send less at once.';
  return new AppError(413, 'TOO_LARGE', 'Too large', detail, { remedy });
}

export function unsupportedMediaType(detail: string, remedy: string): AppError {
  return new AppError(415, 'UNSUPPORTED_MEDIA_TYPE', 'Unsupported media type', detail, { remedy });
}
