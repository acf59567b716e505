import { Temporal } from 'temporal-polyfill';
import type { MailFrequency } from '../notification-preferences.js';

const HOUR_MS = 3_600_000;
const NANOSECONDS_IN_MS = 1_000_000;

/** When the next digest after a moment is due; null for mail that is sent at once. */
export function nextDigest(
  frequency: MailFrequency,
  { timezone, digestAt }: { timezone: string; digestAt: string },
  after: Date,
): Date | null {
  if (frequency === 'realtime') return null;
  const now = Temporal.Instant.fromEpochMilliseconds(after.getTime());
  const local = now.toZonedDateTimeISO(timezone);
  if (frequency === 'hourly') {
    // Hours begin at other moments where the offset from UTC is no whole number of them.
    const offsetMs = local.offsetNanoseconds / NANOSECONDS_IN_MS;
    return new Date((Math.floor((after.getTime() + offsetMs) / HOUR_MS) + 1) * HOUR_MS - offsetMs);
  }
  const today = local.toPlainDate();
  // A time that the clocks skip is moved on by the hour that is skipped; of one that comes twice the first is taken.
  const [first, second] = [0, 1].map((days) =>
    today.add({ days }).toZonedDateTime({ timeZone: timezone, plainTime: digestAt }).toInstant(),
  ) as [Temporal.Instant, Temporal.Instant];
  return new Date((Temporal.Instant.compare(first, now) > 0 ? first : second).epochMilliseconds);
}
