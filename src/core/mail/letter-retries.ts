import { backoff } from '../backoff.js';
import { isRefusedForGood } from './mailer.js';

const MINUTE = 60_000;
/** Servers that do not know a sender yet refuse the first attempts for minutes. */
export const FIRST_RETRY_MS = MINUTE / 2;
export const LONGEST_RETRY_MS = 120 * MINUTE;

/** So often a letter is tried, over some 10 hours. */
export const LETTER_ATTEMPTS = 13;
/** So often one that nobody waits for any longer than half an hour. */
export const URGENT_LETTER_ATTEMPTS = 7;

/** Milliseconds until a letter is sent again, or null when it was refused for good. */
export const letterRetryDelayMs = (failures: number, error: unknown): number | null =>
  isRefusedForGood(error) ? null : backoff(failures, FIRST_RETRY_MS, LONGEST_RETRY_MS);
