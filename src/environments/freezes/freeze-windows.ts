import { findRuleFault, readRule, recurringDays } from '../../core/calendar/recurrence-rule.js';
import { isTimezone, MS_PER_DAY, toInstant, toLocal } from '../../core/calendar/time-zone.js';
import { type Fault, InvalidRequest } from '../../core/errors/app-error.js';
import type { Freeze } from './freeze.entity.js';

export type FreezeTimes = Pick<Freeze, 'startsAt' | 'endsAt' | 'recurrence' | 'timezone'>;

/** A window of a freeze; its end is not part of it. */
interface FreezeWindow {
  start: number;
  end: number;
}

/** The maximum length of a window of a recurring freeze: all windows that may be active now are examined. */
const MAX_RECURRING_DAYS = 31;
const FIRST_RECURRING_YEAR = 1970;

/** @throws InvalidRequest naming each invalid field, or a rule that never recurs */
export function assertFreezeTimes({ startsAt, endsAt, recurrence, timezone }: FreezeTimes): void {
  const faults: Fault[] = [];
  const fault = (field: string, detail: string) => faults.push({ pointer: `/${field}`, detail });
  if (endsAt <= startsAt) fault('ends_at', 'must be after starts_at');
  if (!isTimezone(timezone)) fault('timezone', 'must be an IANA time zone, such as Europe/Berlin');
  if (recurrence !== null) {
    if (startsAt.getUTCFullYear() < FIRST_RECURRING_YEAR)
      fault('starts_at', `must be in ${FIRST_RECURRING_YEAR} or later when the freeze recurs`);
    if (endsAt.getTime() - startsAt.getTime() > MAX_RECURRING_DAYS * MS_PER_DAY)
      fault('ends_at', `must be at most ${MAX_RECURRING_DAYS} days after starts_at when the freeze recurs`);
    const wrong = findRuleFault(recurrence);
    if (wrong) fault('recurrence', wrong);
    else if (faults.length === 0 && !comesAgain({ startsAt, endsAt, recurrence, timezone }))
      fault('recurrence', 'never comes again after starts_at');
  }
  if (faults.length > 0)
    throw new InvalidRequest(faults.map(({ pointer, detail }) => `${pointer?.slice(1)} ${detail}`).join('; '), {
      errors: faults,
    });
}

/**
 * The end of the window that is active, of the last one where windows overlap; the next start; and the next end: that of the active
 * window where there is one.
 */
export function findNextTimes(
  freeze: FreezeTimes,
  at: Date,
): Record<'activeUntil' | 'nextStartsAt' | 'nextEndsAt', Date | null> {
  const now = at.getTime();
  let active: number | null = null;
  let next: FreezeWindow | null = null;
  for (const window of windowsOf(freeze, now)) {
    if (window.start > now) {
      next = window;
      break;
    }
    if (window.end > now) active = Math.max(active ?? 0, window.end);
  }
  const date = (time: number | null | undefined) => (typeof time === 'number' ? new Date(time) : null);
  return { activeUntil: date(active), nextStartsAt: date(next?.start), nextEndsAt: date(active ?? next?.end) };
}

function comesAgain(freeze: FreezeTimes): boolean {
  const [, second] = windowsOf(freeze, freeze.startsAt.getTime());
  return second !== undefined;
}

/** The windows of a freeze in order, without those that were over long before a moment. */
function* windowsOf({ startsAt, endsAt, recurrence, timezone }: FreezeTimes, at: number): Generator<FreezeWindow> {
  const first = { start: startsAt.getTime(), end: endsAt.getTime() };
  yield first;
  if (recurrence === null) return;
  const rule = readRule(recurrence);
  const local = toLocal(first.start, timezone);
  const length = toLocal(first.end, timezone) - local;
  const firstDay = Math.floor(local / MS_PER_DAY);
  // One more day at both sides, for changes of the clock.
  const from = Math.floor((toLocal(at, timezone) - Math.max(length, 0)) / MS_PER_DAY) - 2;
  for (const day of recurringDays(rule, firstDay, from)) {
    // A rule with COUNT chooses those before, too.
    if (day === firstDay || day < from) continue;
    const localStart = local + (day - firstDay) * MS_PER_DAY;
    const start = toInstant(localStart, timezone);
    if (start > rule.until) return;
    const end = toInstant(localStart + length, timezone);
    // A window that lies in a gap as a whole keeps its length.
    yield { start, end: end > start ? end : start + first.end - first.start };
  }
}
