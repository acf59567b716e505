import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { AppError, InvalidRequest } from '../errors/app-error.js';
import { normalizePassword, findPasswordFault } from './password-rule.js';
import { assertOutsideTransaction } from '../database/open-transaction.js';

/** OWASP's parameters for argon2id (the library's default algorithm): 19 MiB, two passes, one lane. */
const ARGON2_PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Leaves threads of the pool and a processor for other requests. */
const CONCURRENCY = availableParallelism() > 2 ? 2 : 1;
/** At some 40 ms each, the last one waits for about a second. */
const MAX_WAITING = 32;

/**
 * Hashes a new password with argon2id and a random salt, off the event loop.
 * @param email of the account, for the password rule
 * @throws InvalidRequest when the password is too weak
 * @throws AppError 429 when too many passwords are being checked
 */
export async function hashPassword(password: string, email = ''): Promise<string> {
  const fault = findPasswordFault(password, email);
  if (fault) throw InvalidRequest.forField('/password', fault);
  return withConcurrencyLimit(() => hash(normalizePassword(password), ARGON2_PARAMETERS));
}

let decoyHash: Promise<string> | undefined;

/**
 * Verifies a password against a hash. Takes the same time without a hash, so that the response time does not reveal
 * which accounts exist.
 * @throws AppError 429 when too many passwords are being checked
 */
export async function verifyPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  decoyHash ??= hash('no account has this password', ARGON2_PARAMETERS);
  const expected = stored ?? (await decoyHash);
  const normalized = normalizePassword(password);
  const matches = await withConcurrencyLimit(async () => {
    if (await verify(expected, normalized)) return true;
    // Hashes created before normalization was introduced are of the password as typed.
    return normalized !== password && verify(expected, password);
  });
  return matches && Boolean(stored);
}

let running = 0;
const waiting: (() => void)[] = [];

/** Each hash takes 19 MiB and a processor; excess calls are refused instead of queued without limit. */
async function withConcurrencyLimit<T>(work: () => Promise<T>): Promise<T> {
  assertOutsideTransaction('the hashing of a password');
  if (running >= CONCURRENCY) {
    if (waiting.length >= MAX_WAITING) throw tooBusy();
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running++;
  try {
    return await work();
  } finally {
    // Hands the slot to the next waiting call without releasing it.
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

const tooBusy = (): AppError =>
  new AppError(429, 'TOO_MANY_ATTEMPTS', 'Too many attempts', 'too many passwords are being checked at the moment', {
    headers: { 'Retry-After': '2' },
    remedy: 'Try again in 2 seconds.',
  });
