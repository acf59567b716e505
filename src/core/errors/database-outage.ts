import { setTimeout as sleep } from 'node:timers/promises';
// Import single classes: worker threads load this module, and the index would load all of TypeORM.
import { QueryFailedError } from 'typeorm/error/QueryFailedError.js';
import { QueryRunnerAlreadyReleasedError } from 'typeorm/error/QueryRunnerAlreadyReleasedError.js';
import { QueryRunnerProviderAlreadyReleasedError } from 'typeorm/error/QueryRunnerProviderAlreadyReleasedError.js';
import { backoff } from '../backoff.js';
import { AppError } from './app-error.js';

/** The error text of an outage. */
interface OutageText {
  code: string;
  title?: string;
  detail: string;
  remedy: string;
  retryAfterSeconds: number;
}

const AWAY: OutageText = {
  code: 'DATABASE_UNAVAILABLE',
  detail: 'The database does not respond at the moment.',
  remedy:
    'Try again in a few seconds; a write that received this response may have been done, so check before you repeat it.',
  retryAfterSeconds: 5,
};

/** Outages by SQLSTATE in which PostgreSQL still answers reads. */
const REFUSED_CHANGES: Readonly<Record<string, OutageText>> = {
  '25006': {
    code: 'DATABASE_READ_ONLY',
    detail: 'The database accepts no changes at the moment: it is read-only.',
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

/** 503: the database is unreachable or refuses changes. Whether a write without a response was committed is unknown. */
export class DatabaseUnavailable extends AppError {
  constructor(
    cause?: unknown,
    { code, title = 'Database unavailable', detail, remedy, retryAfterSeconds }: OutageText = AWAY,
  ) {
    super(503, code, title, detail, {
      remedy,
      headers: { 'Retry-After': String(retryAfterSeconds) },
      cause,
    });
  }

  /** Creates the error for callers from a thrown error. */
  static from(thrown: unknown): DatabaseUnavailable {
    if (thrown instanceof DatabaseUnavailable) return thrown;
    const { code = '' } = (thrown as { driverError?: { code?: string } }).driverError ?? {};
    return new DatabaseUnavailable(thrown, REFUSED_CHANGES[code]);
  }
}

/** 503: all connections of the pool were in use for too long: this server is busy, not the database unreachable. */
export class PoolExhausted extends DatabaseUnavailable {
  constructor() {
    super(undefined, {
      code: 'TOO_BUSY',
      title: 'Too busy',
      detail: 'No connection to the database was free in time.',
      remedy: 'Try again in a few seconds.',
      retryAfterSeconds: 5,
    });
  }
}

/** Reports whether this SQLSTATE means that the database is reachable but refuses changes: it is read-only or its disk is full. */
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
/**
 * Class 08: connection exceptions; 57P0x: shutdown, crash, or start-up of the server; 25P0x: it ended a transaction
 * that was idle or took too long.
 */
const SQL_STATES = /^(08...|57P0[1-5]|25P0[34])$/;
/** Messages of driver errors that have no code. */
const DRIVER_MESSAGES =
  /^(Connection terminated|timeout expired|Query read timeout|Client (has encountered a connection error|was closed) and is not queryable)/;

/** Reports whether an error means that the server cannot be reached or closed the connection. */
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
  // An AggregateError has one error for each address of the host.
  if (errors) return errors.some(isConnectionError);
  // A missing Unix socket; other missing files are different errors.
  if (code === 'ENOENT') return syscall === 'connect';
  return NETWORK_ERROR_CODES.has(code) || SQL_STATES.test(code) || DRIVER_MESSAGES.test(message);
}

/** Reports whether the server did not accept a connection in time, which a busy machine causes as well as an outage. */
export const isConnectTimeout = (error: Error): boolean =>
  /^(timeout expired|.*due to connection timeout$)/.test(error.message);

/** TypeORM's errors for a transaction whose connection was lost between two statements. */
const LOST_CONNECTION_ERRORS = [QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError];

/** Reports whether work failed because the database was unreachable or refused changes, so that a retry may succeed. */
export function isDatabaseOutage(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable || LOST_CONNECTION_ERRORS.some((type) => error instanceof type)) return true;
  if (!(error instanceof QueryFailedError)) return false;
  const { driverError } = error as QueryFailedError<Error & { code?: string }>;
  return isConnectionError(driverError) || refusesChanges(driverError.code);
}

const INITIAL_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;

/**
 * Retries work during a database outage, with back-off; throws other errors.
 * @param isWanted checked before each retry
 * @returns null when `isWanted` returns false
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
