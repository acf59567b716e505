import { Cron } from 'croner';
import { isTimezone } from '../../core/time-zones.js';

/** The schedule of a profile. */
export interface Schedule {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  cron: string;
  /** An IANA time zone. */
  timezone: string;
}

const FIVE_FIELDS = /^\s*(\S+\s+){4}\S+\s*$/;
const MAX_LENGTH = 100;
const MAX_YEARS = 10;

/** Returns the next time of a schedule after a moment, or null when there is none within ten years. @throws Error when it is invalid */
export function nextOccurrence({ cron, timezone }: Schedule, after: Date): Date | null {
  const stopAt = new Date(after);
  stopAt.setUTCFullYear(stopAt.getUTCFullYear() + MAX_YEARS);
  return new Cron(cron, { timezone, mode: '5-part', paused: true, stopAt }).nextRun(after);
}

/** Validates a schedule. @returns the faults by field */
export function findScheduleFaults(
  { cron, timezone }: Schedule,
  now: Date,
): { field: keyof Schedule; detail: string }[] {
  if (!isTimezone(timezone)) return [{ field: 'timezone', detail: 'must be an IANA time zone, such as Europe/Berlin' }];
  if (cron.length > MAX_LENGTH || !FIVE_FIELDS.test(cron))
    return [{ field: 'cron', detail: 'must be five fields: minute, hour, day of the month, month, day of the week' }];
  try {
    return nextOccurrence({ cron, timezone }, now) ? [] : [{ field: 'cron', detail: 'never comes' }];
  } catch {
    return [{ field: 'cron', detail: 'is not a cron expression, as 0 3 * * 1 is one' }];
  }
}
