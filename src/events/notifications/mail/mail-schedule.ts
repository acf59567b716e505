import { MS_PER_DAY, MS_PER_MINUTE, toInstant, toLocal } from '../../../core/calendar/time-zone.js';
import type { MailFrequency } from '../notification-preferences.js';

const MS_PER_HOUR = 3_600_000;

/** Returns the time of the next digest after a moment, or null for immediate mail. */
export function nextDigest(
  frequency: MailFrequency,
  { timezone, digestAt }: { timezone: string; digestAt: string },
  after: Date,
): Date | null {
  if (frequency === 'realtime') return null;
  const now = after.getTime();
  const local = toLocal(now, timezone);
  // The local hour starts at another moment when the offset from UTC is not a whole number of hours.
  if (frequency === 'hourly') return new Date((Math.floor(local / MS_PER_HOUR) + 1) * MS_PER_HOUR - (local - now));
  const [hours = 0, minutes = 0] = digestAt.split(':').map(Number);
  const today = Math.floor(local / MS_PER_DAY) * MS_PER_DAY + hours * MS_PER_HOUR + minutes * MS_PER_MINUTE;
  const [first, second] = [today, today + MS_PER_DAY].map((time) => toInstant(time, timezone)) as [number, number];
  return new Date(first > now ? first : second);
}
