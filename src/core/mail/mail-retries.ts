import { backoff } from '../backoff.js';
import { isRefusedForGood } from './mailer.js';

const MINUTE = 60_000;
/** Servers with greylisting reject the first attempts for minutes. */
export const FIRST_RETRY_MS = MINUTE / 2;
export const LONGEST_RETRY_MS = 120 * MINUTE;

/** The maximum number of attempts, over about 10 hours. */
export const MAIL_ATTEMPTS = 13;
/** The maximum number of attempts for mail that is useless after half an hour. */
export const URGENT_MAIL_ATTEMPTS = 7;

/** Returns the delay before the next attempt in milliseconds, or null after a permanent rejection. */
export const mailRetryDelayMs = (failures: number, error: unknown): number | null =>
  isRefusedForGood(error) ? null : backoff(failures, FIRST_RETRY_MS, LONGEST_RETRY_MS);
