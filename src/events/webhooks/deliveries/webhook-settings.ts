import { Injectable } from '@nestjs/common';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const JITTER = 0.1;
/** Of the time for which an endpoint has been failing: it is left alone for as long again. */
export const PAUSE_SHARE = 1;
export const PAUSE_JITTER = 0.1;

/** The times of deliveries, in milliseconds. */
@Injectable()
export class WebhookSettings {
  /** From the resolution of the name to the last byte of the answer that is read. */
  timeoutMs = 15 * SECOND;
  /** How long after each failure the next attempt begins: 10 attempts over 75 hours. */
  retryDelaysMs = [...[5 * SECOND, 5 * MINUTE, 30 * MINUTE], ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR)];
  /** The longest that `Retry-After` may ask for. */
  maxRetryAfterMs = 24 * HOUR;
  /** An endpoint whose last answer took longer waits behind others of its kind. */
  slowMs = 2 * SECOND;
  /** A call that takes longer releases its slot. */
  slotMs = SECOND / 4;
  /** Nothing is sent to an endpoint that has just failed for as long as it has been failing, within these bounds. */
  minPauseMs = SECOND;
  maxPauseMs = MINUTE;
  /** The longest that `Retry-After` keeps deliveries other than its own from an endpoint. */
  maxAskedPauseMs = 15 * MINUTE;
  /** After so long without a success the owner is notified, and then the endpoint disabled. */
  noticeAfterMs = DAY;
  disableAfterMs = 5 * DAY;
  /** How often lost wake-ups are looked for. */
  sweepMs = 10 * SECOND;
  /** So long after an event, those that fail are given it. */
  deferMs = 5 * SECOND;
  /** An endpoint releases its slot after so long. */
  turnMs = 5 * SECOND;
  /** Endpoints that one process sends to at once, and as many that fail or answer slowly: a slot costs little. */
  slots = 128;
  /** How long an answer is kept that cannot be written because the database is away. */
  keepOutcomeMs = 10 * MINUTE;
}

/** `Retry-After` in milliseconds from now, as seconds or as a date; undefined when it is absent or absurd. */
export function parseRetryAfter(value: string | undefined, now: Date): number | undefined {
  if (!value) return undefined;
  const text = value.trim();
  const ms = /^\d{1,12}$/.test(text) ? Number(text) * 1000 : parseDate(text) - now.getTime();
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

/** `Date.parse` finds a date in any text with a number, such as "in 3 days". */
const parseDate = (text: string): number => (/\d\d:\d\d:\d\d/.test(text) ? Date.parse(text) : NaN);

/** Milliseconds until the next attempt, or null when there is none. `Retry-After` delays an attempt and never brings it forward. */
export function nextDelayMs(
  failures: number,
  retryAfterMs: number | undefined,
  { retryDelaysMs, maxRetryAfterMs }: Pick<WebhookSettings, 'retryDelaysMs' | 'maxRetryAfterMs'>,
): number | null {
  const delay = retryDelaysMs[failures - 1];
  if (delay === undefined) return null;
  const jittered = delay * (1 + Math.random() * JITTER);
  return Math.round(Math.max(jittered, Math.min(retryAfterMs ?? 0, maxRetryAfterMs)));
}
