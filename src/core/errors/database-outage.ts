import { setTimeout as sleep } from 'node:timers/promises';
// The classes alone: worker threads load this module, and would load all of TypeORM with it.
import { QueryFailedError } from 'typeorm/error/QueryFailedError.js';
import { QueryRunnerAlreadyReleasedError } from 'typeorm/error/QueryRunnerAlreadyReleasedError.js';
import { QueryRunnerProviderAlreadyReleasedError } from 'typeorm/error/QueryRunnerProviderAlreadyReleasedError.js';
import { backoff } from '../backoff.js';
import { AppError } from './app-error.js';

/** Why the database does not do its work, for callers. */
interface OutageText {
  code: string;
  detail: string;
  remedy: string;
  retryAfterSeconds: number;
}

const AWAY: OutageText = {
  code: 'DATABASE_UNAVAILABLE',
  detail: 'The database does not answer at the moment.',
  remedy:
    'Try again in a few seconds; a write that received this answer may have been done, so check before you repeat it.',
  retryAfterSeconds: 5,
};

/** By the SQLSTATE with which PostgreSQL answers, and goes on to answer reads. */
const REFUSED_CHANGES: Readonly<Record<string, OutageText>> = {
  '25006': {
    code: 'DATABASE_READ_ONLY',
    detail: 'The database takes no changes at the moment: it is read-only.',
    remedy:
      'Nothing was changed. Try again in a few seconds; if that does not help, the operator has to make the database writable.',
    retryAfterSeconds: 5,
  },
  '53100': {
    code: 'DATABASE_FULL',
    detail: 'The database has no space left for this change.',
    remedy: 'Nothing was changed. Try again when the operator has given the database more space.',
    retryAfterSeconds: 60,
  },
};

/** 503: the database is away. Whether a write whose answer was lost has been done is not known. */
export class DatabaseUnavailable extends AppError {
  constructor(cause?: unknown, { code, detail, remedy, retryAfterSeconds }: OutageText = AWAY) {
    super(503, code, 'Database unavailable', detail, {
      remedy,
      headers: { 'Retry-After': String(retryAfterSeconds) },
      cause,
    });
  }

  /** What to tell callers of an outage. */
  static from(thrown: unknown): DatabaseUnavailable {
    if (thrown instanceof DatabaseUnavailable) return thrown;
    const { code = '' } = (thrown as { driverError?: { code?: string } }).driverError ?? {};
    return new DatabaseUnavailable(thrown, REFUSED_CHANGES[code]);
  }
}

/** Whether the database answers, and takes no changes: it is read-only, as a standby is, or its disk is full. */
export const refusesChanges = (sqlState: string | undefined): boolean => Object.hasOwn(REFUSED_CHANGES, sqlState ?? '');

const NETWORK_ERROR_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** Class 08: connection exceptions; 57P0x: the server stops, has crashed, or starts; 25P0x: it ended a transaction that was idle, or took too long. */
const SQL_STATES = /^(08...|57P0[1-5]|25P0[34])$/;
/** What the driver says without a code. */
const DRIVER_MESSAGES =
  /^(Connection terminated|timeout expired|Query read timeout|Client (has encountered a connection error|was closed) and is not queryable)/;

/** Whether an error of the driver says that the server cannot be reached, or has hung up. */
export function isConnectionError(error: unknown): boolean {
  const {
    code = '',
    message = '',
    syscall,
    errors,
  } = (error ?? {}) as {
    code?: string;
    message?: string;
    syscall?: string;
    errors?: unknown[];
  };
  // An address of several families fails as all of them do.
  if (errors) return errors.some(isConnectionError);
  // A socket that is not there; any other missing file is a fault of its own.
  if (code === 'ENOENT') return syscall === 'connect';
  return NETWORK_ERROR_CODES.has(code) || SQL_STATES.test(code) || DRIVER_MESSAGES.test(message);
}

/** What the pool says when all its connections are in use: this server is busy, and the database is there. */
export const POOL_TIMEOUT = 'timeout exceeded when trying to connect';

/** An error of taking a connection, as reported to callers: whether nobody answers, or this login is refused. */
export const toConnectError = (error: Error): Error =>
  error.message === POOL_TIMEOUT ? error : new DatabaseUnavailable(error);

/** What TypeORM throws in a transaction whose connection was lost between two statements. */
const LOST_CONNECTION_ERRORS = [QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError];

/** Whether work failed because the database was away or took no changes, so that the same work may succeed when it does. */
export function isDatabaseOutage(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable || LOST_CONNECTION_ERRORS.some((type) => error instanceof type)) return true;
  if (!(error instanceof QueryFailedError)) return false;
  const { driverError } = error as QueryFailedError<Error & { code?: string }>;
  return isConnectionError(driverError) || refusesChanges(driverError.code);
}

const INITIAL_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;

/**
 * Repeats the work while the database is away, one try after another; other failures are thrown.
 * @param isWanted asked before each repetition
 * @returns null when the work is wanted no longer
 */
export async function retryDuringOutage<T>(work: () => Promise<T>, isWanted: () => boolean): Promise<T | null> {
  for (let failures = 1; ; failures++) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseOutage(error)) throw error;
    }
    await sleep(backoff(failures, INITIAL_PAUSE_MS, MAX_PAUSE_MS), undefined, { ref: false });
    if (!isWanted()) return null;
  }
}
