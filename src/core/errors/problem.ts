import type { HttpException } from '@nestjs/common';
import { DatabaseUnavailable, isDatabaseOutage, POOL_TIMEOUT } from './database-outage.js';
import { AppError, truncate, type Fault, MAX_FAULTS, InvalidRequest, Unauthenticated } from './app-error.js';
import { limitRemedy, type LimitSetting } from './limit-remedy.js';

/** The problem document of RFC 9457 that every failed REST call answers with. */
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
/** The page that explains the codes: a URI, which RFC 9457 recommends over a reference. One process serves one address. */
let errorReference = ERROR_REFERENCE_PATH;

/** Makes the types of problems lead to the page of the server at this address. */
export function setErrorReference(baseUrl: string): void {
  errorReference = new URL(ERROR_REFERENCE_PATH, baseUrl).href;
}

/** The anchor of a code on the page of error codes. */
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

/** Characters of one text of a fault, which may quote what was sent. */
const MAX_TEXT_LENGTH = 500;

export const moreFaultsText = (count: number): string =>
  count === 1 ? '1 more fault is not listed' : `${count} more faults are not listed`;

/** At most `limit` entries for all faults, of which `omitted` are only counted: when some do not fit, the last entry says how many. */
export function listFaults<F extends Fault>(faults: readonly F[], omitted: number, limit = MAX_FAULTS): (F | Fault)[] {
  if (omitted === 0 && faults.length <= limit) return [...faults];
  const shown = faults.slice(0, limit - 1);
  return [...shown, { detail: moreFaultsText(faults.length + omitted - shown.length) }];
}

/** The faults of an error for an answer, limited in number and length. */
export const limitFaults = (faults: readonly Fault[]): Fault[] =>
  listFaults(faults, 0).map((fault) => ({
    ...fault,
    ...(fault.pointer === undefined ? {} : { pointer: truncate(fault.pointer, MAX_TEXT_LENGTH) }),
    detail: truncate(fault.detail, MAX_TEXT_LENGTH),
  }));

/** An internal error is reported to the caller only by the id under which it is logged. */
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

/** Converts any thrown value to an application error: ours, errors of the framework, else 500. */
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

/** The server ended a statement that took too long, or that waited too long for a lock. */
const ENDED_STATEMENTS = new Set(['57014', '55P03']);
/** Of two transactions that wait for each other, or that cannot both be right, PostgreSQL ends one (class 40). */
const TRANSACTION_ROLLBACK = new Set(['40001', '40P01']);
/** A text that no column takes: the NUL character, or characters outside of the encoding of the database. */
const UNSTORABLE_TEXT = new Set(['22021', '22P05']);

/** Whether the same work may succeed in a moment: this server, or its database, is busy or away. */
export function isTemporary(thrown: unknown): boolean {
  const { status } = toAppError(thrown);
  return status === 429 || status === 503;
}

/** Errors of an overloaded database: the same request may succeed a moment later. */
function fromDatabaseError(thrown: unknown): AppError | undefined {
  const { message, driverError } = (thrown ?? {}) as { message?: string; driverError?: { code?: string } };
  if (isDatabaseOutage(thrown)) return DatabaseUnavailable.from(thrown);
  if (message === POOL_TIMEOUT) return tooBusy('No connection to the database was free in time.', thrown);
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

/** `setting` is what raises the limit, when one does. */
export function payloadTooLarge(detail: string, setting?: LimitSetting): AppError {
  const remedy = setting ? limitRemedy('Send less.', setting) : 'Send less at once.';
  return new AppError(413, 'TOO_LARGE', 'Too large', detail, { remedy });
}

export function unsupportedMediaType(detail: string, remedy: string): AppError {
  return new AppError(415, 'UNSUPPORTED_MEDIA_TYPE', 'Unsupported media type', detail, { remedy });
}
