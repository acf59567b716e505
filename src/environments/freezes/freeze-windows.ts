import { RRuleTemporal } from 'rrule-temporal';
import { Temporal } from 'temporal-polyfill';
import { type Fault, InvalidRequest } from '../../core/errors/app-error.js';
import { isTimezone } from '../../core/time-zones.js';
import { defineTask, type Task } from '../../core/workers/task.js';
import type { Freeze } from './freeze.entity.js';

export type FreezeTimes = Pick<Freeze, 'startsAt' | 'endsAt' | 'recurrence' | 'timezone'>;

/** The maximum length of a window of a recurring freeze: all windows that may be active now are examined. */
const MAX_RECURRING_DAYS = 31;
/** The maximum days that are evaluated to find one window, or to count all windows of a rule. */
const MAX_CANDIDATES = 20_000;
const MAX_COUNTED_CANDIDATES = 5_000;
/** The maximum periods (the days, weeks, months or years of FREQ) that are looked through; the calendar repeats after 400 years. */
const MAX_PERIODS = 2_000;
const MAX_YEARS = 400;
/** As MAX_PERIODS, for rules with BYSETPOS, which generate all days of each period. */
const MAX_MONTHS_AS_SETS = 120;
const MAX_YEARS_AS_SETS = 40;
const MS_PER_DAY = 86_400_000;

const DAY = '(MO|TU|WE|TH|FR|SA|SU)';

/** The form of a value, and the form in words. */
type RulePart = readonly [form: RegExp, words: string];

const list = (item: string, words: string): RulePart => [
  new RegExp(`^${item}(,${item}){0,49}$`),
  `${words}, at most 50`,
];

/** The allowed parts of a rule: those that choose days. The time of day is that of the first window. */
const PARTS: Record<string, RulePart> = {
  FREQ: [/^(DAILY|WEEKLY|MONTHLY|YEARLY)$/, 'DAILY, WEEKLY, MONTHLY or YEARLY'],
  INTERVAL: [/^[1-9]\d{0,2}$/, 'a number from 1 to 999'],
  COUNT: [/^[1-9]\d{0,2}$/, 'a number from 1 to 999'],
  UNTIL: [/^\d{8}(T\d{6}Z)?$/, 'a date or a time in UTC, such as 20271231 or 20271231T180000Z'],
  BYDAY: list(`([+-]?[1-9]\\d?)?${DAY}`, 'days such as FR or -1SU'),
  BYMONTHDAY: list('-?([1-9]|[12]\\d|3[01])', 'days of the month from 1 to 31, or from -31 to -1'),
  BYYEARDAY: list('-?([1-9]\\d?|[12]\\d\\d|3[0-5]\\d|36[0-6])', 'days of the year from 1 to 366, or from -366 to -1'),
  BYWEEKNO: list('-?([1-9]|[1-4]\\d|5[0-3])', 'weeks from 1 to 53, or from -53 to -1'),
  BYMONTH: list('([1-9]|1[0-2])', 'months from 1 to 12'),
  BYSETPOS: list('-?[1-9]\\d{0,2}', 'positions from 1 to 999, or from -999 to -1'),
  WKST: [new RegExp(`^${DAY}$`), 'a day such as MO'],
};

/** Checks the times of a freeze in a worker, because a rule that never recurs would block the event loop. */
export const freezeTimesTask: Task<FreezeTimes, void> = defineTask(import.meta.url, { assertFreezeTimes });

/** @throws InvalidRequest naming each invalid field, or a rule that never recurs */
export function assertFreezeTimes({ startsAt, endsAt, recurrence, timezone }: FreezeTimes): void {
  const faults: Fault[] = [];
  const fault = (field: string, detail: string) => faults.push({ pointer: `/${field}`, detail });
  if (endsAt <= startsAt) fault('ends_at', 'must be after starts_at');
  if (!isTimezone(timezone)) fault('timezone', 'must be an IANA time zone, such as Europe/Berlin');
  if (recurrence !== null) {
    if (endsAt.getTime() - startsAt.getTime() > MAX_RECURRING_DAYS * MS_PER_DAY)
      fault('ends_at', `must be at most ${MAX_RECURRING_DAYS} days after starts_at when the freeze recurs`);
    const wrong = findRuleFault(recurrence);
    if (wrong) fault('recurrence', wrong);
    else if (faults.length === 0) {
      const never = findExpansionFault({ startsAt, endsAt, recurrence, timezone });
      if (never) fault('recurrence', never);
    }
  }
  if (faults.length > 0)
    throw new InvalidRequest(faults.map(({ pointer, detail }) => `${pointer?.slice(1)} ${detail}`).join('; '), {
      errors: faults,
    });
}

/** The end of the window that is active at this moment; null when none is. */
export function findWindowEnd(freeze: FreezeTimes, at: Date): Date | null {
  const { startsAt, endsAt, recurrence, timezone } = freeze;
  if (at < startsAt) return null;
  let end = at < endsAt ? endsAt : null;
  if (recurrence === null) return end;
  const local = (date: Date) => Temporal.Instant.fromEpochMilliseconds(date.getTime()).toZonedDateTimeISO(timezone);
  const length = local(startsAt).toPlainDateTime().until(local(endsAt).toPlainDateTime(), { largestUnit: 'day' });
  // One more day, for windows that a clock change extends.
  const earliest = new Date(at.getTime() - (endsAt.getTime() - startsAt.getTime()) - MS_PER_DAY);
  for (const start of ruleOf({ startsAt, recurrence, timezone }).between(earliest, at, true)) {
    const window = start.toPlainDateTime().add(length).toZonedDateTime(timezone);
    const windowEnd = new Date(window.epochMilliseconds);
    if (at < windowEnd && (!end || end < windowEnd)) end = windowEnd;
  }
  return end;
}

function findRuleFault(rule: string): string | null {
  const parts = rule.split(';').map((part) => part.split('='));
  const names = parts.map(([name = '']) => name);
  const doubled = names.find((name, index) => names.indexOf(name) !== index);
  if (doubled !== undefined) return `must have ${doubled} once`;
  for (const [name = '', value = '', ...more] of parts) {
    const part = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
    if (!part) return `must be of ${Object.keys(PARTS).join(', ')}, as in FREQ=WEEKLY;BYDAY=FR`;
    const [form, words] = part;
    if (more.length > 0 || !form.test(value)) return `has a value of ${name} that is not allowed: it must be ${words}`;
  }
  if (!names.includes('FREQ')) return 'must have FREQ';
  return names.includes('COUNT') && names.includes('UNTIL') ? 'must not have both COUNT and UNTIL' : null;
}

function findExpansionFault(freeze: Omit<FreezeTimes, 'recurrence'> & { recurrence: string }): string | null {
  try {
    if (!ruleOf(freeze).next(freeze.startsAt, false)) return 'never comes again after starts_at';
    findWindowEnd(freeze, new Date());
    return null;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return /exceeded/.test(message) ? 'never comes, or comes too rarely to be found' : `is not a rule: ${message}`;
  }
}

type Recurrence = Pick<Freeze, 'startsAt' | 'timezone'> & { recurrence: string };

function ruleOf(freeze: Recurrence): RRuleTemporal {
  return /(^|;)COUNT=/.test(freeze.recurrence) ? readRule(withEnd(freeze)) : readRule(freeze);
}

/** Caches the rule with UNTIL that replaces a rule with COUNT, because evaluating COUNT takes many steps. */
const countedRules = new Map<string, string>();
const MAX_COUNTED_RULES = 1_000;

function withEnd(freeze: Recurrence): Recurrence {
  const { startsAt, timezone, recurrence } = freeze;
  const key = `${startsAt.getTime()} ${timezone} ${recurrence}`;
  const known = countedRules.get(key);
  if (known !== undefined) return { ...freeze, recurrence: known };
  const last = readRule(freeze, MAX_COUNTED_CANDIDATES).all().at(-1);
  // A rule that never recurs stays as it is.
  const until = last?.toInstant().toString({ smallestUnit: 'second' }).replace(/[-:]/g, '');
  const ended = until ? recurrence.replace(/COUNT=\d+/, `UNTIL=${until}`) : recurrence;
  const oldest = countedRules.size >= MAX_COUNTED_RULES ? countedRules.keys().next().value : undefined;
  if (oldest !== undefined) countedRules.delete(oldest);
  countedRules.set(key, ended);
  return { ...freeze, recurrence: ended };
}

function readRule(
  { startsAt, recurrence, timezone }: Recurrence,
  maxCandidateEvaluations = MAX_CANDIDATES,
): RRuleTemporal {
  const start = Temporal.Instant.fromEpochMilliseconds(startsAt.getTime()).toZonedDateTimeISO(timezone);
  const local = start.toPlainDateTime().toString({ smallestUnit: 'second' }).replace(/[-:]/g, '');
  const rruleString = `DTSTART;TZID=${timezone}:${local}\nRRULE:${recurrence}`;
  const maxIterations = getMaxPeriods(recurrence);
  return new RRuleTemporal({ rruleString, temporal: Temporal, maxIterations, maxCandidateEvaluations });
}

function getMaxPeriods(rule: string): number {
  const isOfSets = rule.includes('BYSETPOS=');
  if (rule.includes('FREQ=YEARLY')) return isOfSets ? MAX_YEARS_AS_SETS : MAX_YEARS;
  return isOfSets && rule.includes('FREQ=MONTHLY') ? MAX_MONTHS_AS_SETS : MAX_PERIODS;
}
