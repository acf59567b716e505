import { CronExpression, CronFault } from '../../core/calendar/cron.js';
import { isTimezone } from '../../core/calendar/time-zone.js';

/** The schedule of a profile. */
export interface Schedule {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  cron: string;
  /** An IANA time zone. */
  timezone: string;
}

/** Returns the next time of a schedule after a moment, or null when there is none within ten years or the expression is invalid. */
export function nextOccurrence(schedule: Schedule, after: Date): Date | null {
  const expression = readCron(schedule.cron);
  const next = expression instanceof CronFault ? null : expression.next(after.getTime(), schedule.timezone);
  return next === null ? null : new Date(next);
}

/** Validates a schedule. @returns the faults by field */
export function findScheduleFaults(schedule: Schedule, now: Date): { field: keyof Schedule; detail: string }[] {
  if (!isTimezone(schedule.timezone))
    return [{ field: 'timezone', detail: 'must be an IANA time zone, such as Europe/Berlin' }];
  const expression = readCron(schedule.cron);
  if (expression instanceof CronFault) return [{ field: 'cron', detail: expression.message }];
  return nextOccurrence(schedule, now) ? [] : [{ field: 'cron', detail: 'never comes' }];
}

function readCron(cron: string): CronExpression | CronFault {
  try {
    return new CronExpression(cron);
  } catch (error) {
    if (error instanceof CronFault) return error;
    throw error;
  }
}
