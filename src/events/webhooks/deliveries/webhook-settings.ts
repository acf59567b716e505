import { Injectable } from '@nestjs/common';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const JITTER = 0.1;
/** The pause of a failing endpoint, as a share of the time that it has been failing. */
export const PAUSE_SHARE = 1;
export const PAUSE_JITTER = 0.1;

/** The timeouts, delays and limits of deliveries; times in milliseconds. */
@Injectable()
export class WebhookSettings {
  /** The timeout of an attempt, from the DNS lookup to the last byte of the response that is read. */
  timeoutMs = 15 * SECOND;
  /** The delays after each failure: 10 attempts over 75 hours. */
  retryDelaysMs = [...[5 * SECOND, 5 * MINUTE, 30 * MINUTE], ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR)];
  /** The maximum delay of a delivery by `Retry-After`. */
  maxRetryAfterMs = 24 * HOUR;
  /** An endpoint whose last response took longer is slow and uses the separate slots. */
  slowMs = 2 * SECOND;
  /** An attempt that takes longer releases its slot. */
  slotMs = SECOND / 4;
  /** The limits of the pause after a failure. */
  minPauseMs = SECOND;
  maxPauseMs = MINUTE;
  /** The maximum pause of an endpoint by `Retry-After`, which delays its other deliveries. */
  maxAskedPauseMs = 15 * MINUTE;
  /** How long an endpoint fails before its owner is notified, and before it is disabled. */
  noticeAfterMs = DAY;
  disableAfterMs = 5 * DAY;
  /** The interval of the sweep that finds missed events. */
  sweepMs = 10 * SECOND;
  /** The delay of the fan-out to failing endpoints. */
  deferMs = 5 * SECOND;
  /** The maximum duration of a turn of an endpoint. */
  turnMs = 5 * SECOND;
  /** The number of healthy endpoints that one process sends to at once, and of failing or slow ones. */
  slots = 128;
  /** How long storing an outcome is retried during a database outage. */
  keepOutcomeMs = 10 * MINUTE;
}

/** Parses `Retry-After`, in seconds or as a date. @returns the milliseconds from now; undefined when absent or invalid */
export function parseRetryAfter(value: string | undefined, now: Date): number | undefined {
  if (!value) return undefined;
  const text = value.trim();
  const ms = /^\d{1,12}$/.test(text) ? Number(text) * 1000 : parseDate(text) - now.getTime();
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

/** Requires a time of day, because `Date.parse` accepts texts such as "in 3 days". */
const parseDate = (text: string): number => (/\d\d:\d\d:\d\d/.test(text) ? Date.parse(text) : NaN);

/** Returns the milliseconds until the next attempt, or null after the last one. `Retry-After` only lengthens the delay. */
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
