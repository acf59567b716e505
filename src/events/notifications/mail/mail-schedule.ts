import { Temporal } from 'temporal-polyfill';
import type { MailFrequency } from '../notification-preferences.js';

const HOUR_MS = 3_600_000;
const NANOSECONDS_IN_MS = 1_000_000;

/** Returns the time of the next digest after a moment, or null for immediate mail. */
export function nextDigest(
  frequency: MailFrequency,
  { timezone, digestAt }: { timezone: string; digestAt: string },
  after: Date,
): Date | null {
  if (frequency === 'realtime') return null;
  const now = Temporal.Instant.fromEpochMilliseconds(after.getTime());
  const local = now.toZonedDateTimeISO(timezone);
  if (frequency === 'hourly') {
    // The local hour starts at another moment when the offset from UTC is not a whole number of hours.
    const offsetMs = local.offsetNanoseconds / NANOSECONDS_IN_MS;
    return new Date((Math.floor((after.getTime() + offsetMs) / HOUR_MS) + 1) * HOUR_MS - offsetMs);
  }
  const today = local.toPlainDate();
  // Daylight saving: a skipped time moves forward by the skipped hour; of a repeated time the first is used.
  const [first, second] = [0, 1].map((days) =>
    today.add({ days }).toZonedDateTime({ timeZone: timezone, plainTime: digestAt }).toInstant(),
  ) as [Temporal.Instant, Temporal.Instant];
  return new Date((Temporal.Instant.compare(first, now) > 0 ? first : second).epochMilliseconds);
}
