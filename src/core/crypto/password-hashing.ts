import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { AppError, InvalidRequest } from '../errors/app-error.js';
import { normalizePassword, findPasswordFault } from './password-rule.js';

/** OWASP's parameters for argon2id (the library's default algorithm): 19 MiB, two passes, one lane. */
const ARGON2_PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** At most half of the threads that the process has for such work, and not every processor: other callers need the rest. */
const CONCURRENCY = availableParallelism() > 2 ? 2 : 1;
/** Some 40 ms each: the last one waits for a second. */
const MAX_WAITING = 32;

/**
 * Hashes a password that its user chose, with argon2id and a fresh salt; runs off the event loop.
 *
 * @param email of the account that it is for
 * @throws InvalidRequest when the password is too weak; AppError 429 when too many passwords are being checked
 */
export async function hashPassword(password: string, email = ''): Promise<string> {
  const fault = findPasswordFault(password, email);
  if (fault) throw InvalidRequest.forField('/password', fault);
  return withConcurrencyLimit(() => hash(normalizePassword(password), ARGON2_PARAMETERS));
}

let decoyHash: Promise<string> | undefined;

/**
 * Compares in constant time whether or not there is a hash, so that the answer does not reveal which accounts exist.
 *
 * @throws AppError 429 when too many passwords are being checked
 */
export async function verifyPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  decoyHash ??= hash('no account has this password', ARGON2_PARAMETERS);
  const expected = stored ?? (await decoyHash);
  const normalized = normalizePassword(password);
  const matches = await withConcurrencyLimit(async () => {
    if (await verify(expected, normalized)) return true;
    // Older hashes are of the password as it was typed, before normalization was introduced.
    return normalized !== password && verify(expected, password);
  });
  return matches && Boolean(stored);
}

let running = 0;
const waiting: (() => void)[] = [];

/** Each of these takes 19 MiB and a processor: a flood of sign-ins is refused rather than queued without end. */
async function withConcurrencyLimit<T>(work: () => Promise<T>): Promise<T> {
  if (running >= CONCURRENCY) {
    if (waiting.length >= MAX_WAITING) throw tooBusy();
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running++;
  try {
    return await work();
  } finally {
    // The slot is passed to the next waiting call, without becoming free in between.
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
