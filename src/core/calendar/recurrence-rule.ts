import { MS_PER_DAY } from './time-zone.js';

const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
const DAY = `(${WEEKDAYS.join('|')})`;
/** The years of 48 periods: leap years that begin on a certain weekday are up to 40 years apart. */
const MAX_DAYS_EXAMINED = 17_600;
const LAST_DAY = Date.UTC(9999, 11, 31) / MS_PER_DAY;

/** The form of a value, and the form in words. */
type RulePart = readonly [form: RegExp, words: string];

const list = (item: string, words: string): RulePart => [
  new RegExp(`^${item}(,${item}){0,49}$`),
  `${words}, at most 50`,
];

/** The parts of a rule that are allowed: those that choose days. The time of day is that of the start. */
const PARTS: Record<string, RulePart> = {
  FREQ: [/^(DAILY|WEEKLY|MONTHLY|YEARLY)$/, 'DAILY, WEEKLY, MONTHLY or YEARLY'],
  INTERVAL: [/^0{0,2}[1-9]\d{0,2}$/, 'a number from 1 to 999'],
  COUNT: [/^0{0,2}[1-9]\d{0,2}$/, 'a number from 1 to 999'],
  UNTIL: [/^\d{8}T\d{6}Z$/, 'a time in UTC, such as 20271231T180000Z'],
  BYDAY: list(`([+-]?(0?[1-9]|[1-4]\\d|5[0-3]))?${DAY}`, 'days such as FR or -1SU'),
  BYMONTHDAY: list('[+-]?(0?[1-9]|[12]\\d|3[01])', 'days of the month from 1 to 31, or from -31 to -1'),
  BYYEARDAY: list(
    '[+-]?(0{0,2}[1-9]|0?[1-9]\\d|[12]\\d\\d|3[0-5]\\d|36[0-6])',
    'days of the year from 1 to 366, or from -366 to -1',
  ),
  BYWEEKNO: list('[+-]?(0?[1-9]|[1-4]\\d|5[0-3])', 'weeks from 1 to 53, or from -53 to -1'),
  BYMONTH: list('(0?[1-9]|1[0-2])', 'months from 1 to 12'),
  BYSETPOS: list(
    '[+-]?(0{0,2}[1-9]|0?[1-9]\\d|[12]\\d\\d|3[0-5]\\d|36[0-6])',
    'positions from 1 to 366, or from -366 to -1',
  ),
  WKST: [new RegExp(`^${DAY}$`), 'a day such as MO'],
};

/** Which days a rule of RFC 5545 chooses. A list that is absent chooses all. */
export interface RecurrenceRule {
  frequency: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';
  interval: number;
  count: number;
  /** The last instant. */
  until: number;
  months?: ReadonlySet<number>;
  weeks?: ReadonlySet<number>;
  yearDays?: ReadonlySet<number>;
  monthDays?: ReadonlySet<number>;
  /** By weekday, from 0 for Sunday: which of the month or year, where 0 is each. */
  weekdays?: ReadonlyMap<number, ReadonlySet<number>>;
  positions?: ReadonlySet<number>;
  weekStart: number;
}

/** What RFC 5545 forbids in a rule, or this server does not offer; null for a rule that is sound. */
export function findRuleFault(text: string): string | null {
  const parts = text
    .toUpperCase()
    .split(';')
    .map((part) => part.split('='));
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
  if (names.includes('COUNT') && names.includes('UNTIL')) return 'must not have both COUNT and UNTIL';
  return findForbiddenPart(readRule(text));
}

/** RFC 5545, section 3.3.10: parts that must not stand beside the frequency. */
function findForbiddenPart({ frequency, weekdays, monthDays, yearDays, weeks, months, positions }: RecurrenceRule) {
  const isYearly = frequency === 'YEARLY';
  const isNumbered = [...(weekdays?.values() ?? [])].some((numbers) => numbers.size > 1 || !numbers.has(0));
  if (isNumbered && (frequency === 'DAILY' || frequency === 'WEEKLY'))
    return `must not have a number in BYDAY with FREQ=${frequency}`;
  if (isNumbered && weeks) return 'must not have a number in BYDAY beside BYWEEKNO';
  if (monthDays && frequency === 'WEEKLY') return 'must not have BYMONTHDAY with FREQ=WEEKLY';
  if (yearDays && !isYearly) return `must not have BYYEARDAY with FREQ=${frequency}`;
  if (weeks && !isYearly) return `must not have BYWEEKNO with FREQ=${frequency}`;
  if (positions && !(weekdays ?? monthDays ?? yearDays ?? weeks ?? months))
    return 'must not have BYSETPOS without another part that begins with BY';
  return null;
}

/** Reads a rule whose parts are of their forms. */
export function readRule(text: string): RecurrenceRule {
  const parts = new Map(
    text
      .toUpperCase()
      .split(';')
      .map((part) => part.split('=') as [string, string]),
  );
  const numbers = (name: string) => {
    const value = parts.get(name);
    return value === undefined ? undefined : new Set(value.split(',').map(Number));
  };
  const weekStart = parts.get('WKST');
  return {
    frequency: parts.get('FREQ') as RecurrenceRule['frequency'],
    interval: Number(parts.get('INTERVAL') ?? 1),
    count: Number(parts.get('COUNT') ?? Infinity),
    until: readUntil(parts.get('UNTIL')),
    months: numbers('BYMONTH'),
    weeks: numbers('BYWEEKNO'),
    yearDays: numbers('BYYEARDAY'),
    monthDays: numbers('BYMONTHDAY'),
    weekdays: readWeekdays(parts.get('BYDAY')),
    positions: numbers('BYSETPOS'),
    weekStart: weekStart === undefined ? 1 : WEEKDAYS.indexOf(weekStart),
  };
}

function readUntil(text: string | undefined): number {
  if (text === undefined) return Infinity;
  const [year, month, day, hour = 23, minute = 59, second = 59] = (
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z)?$/.exec(text) ?? []
  )
    .slice(1)
    .map((digits) => (digits === undefined ? undefined : Number(digits)));
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
}

function readWeekdays(text: string | undefined): RecurrenceRule['weekdays'] {
  if (text === undefined) return undefined;
  const weekdays = new Map<number, Set<number>>();
  for (const item of text.split(',')) {
    const weekday = WEEKDAYS.indexOf(item.slice(-2));
    weekdays.set(weekday, (weekdays.get(weekday) ?? new Set()).add(Number(item.slice(0, -2))));
  }
  return weekdays;
}

/**
 * The days that a rule chooses, as numbers of days since 1970, in order; from `from` on, except for a rule with COUNT. Ends where
 * no further one is found among many days.
 *
 * @param first the day of the start, from which the rule derives what it does not say
 */
export function* recurringDays(given: RecurrenceRule, first: number, from: number): Generator<number> {
  const rule = withDefaults(given, first);
  let left = rule.count;
  let examined = 0;
  const isBounded = Number.isFinite(rule.count);
  const months = new Months();
  for (let index = isBounded ? 0 : findPeriod(rule, first, from); ; index++) {
    const [start, end] = periodOf(rule, first, index);
    if (start > LAST_DAY) return;
    const days = chosenDays(rule, start, end, months);
    examined += end - start;
    for (const day of rule.positions ? atPositions(days, rule.positions) : days) {
      if (day < first) continue;
      examined = 0;
      if (isBounded || day >= from) yield day;
      if (--left === 0) return;
    }
    if (examined > MAX_DAYS_EXAMINED) return;
  }
}

/** What a rule does not say is as on the first day. */
function withDefaults(rule: RecurrenceRule, first: number): RecurrenceRule {
  const { weeks, yearDays, monthDays, weekdays, months, frequency } = rule;
  if (weeks ?? yearDays ?? monthDays ?? weekdays) return rule;
  const { month, day } = dateOf(first);
  if (frequency === 'WEEKLY') return { ...rule, weekdays: new Map([[weekdayOf(first), EACH]]) };
  if (frequency === 'MONTHLY') return { ...rule, monthDays: new Set([day]) };
  if (frequency === 'YEARLY') return { ...rule, monthDays: new Set([day]), months: months ?? new Set([month]) };
  return rule;
}

const EACH = new Set([0]);

/** The index of the period that holds a day, or of an earlier one. */
function findPeriod({ frequency, interval, weekStart }: RecurrenceRule, first: number, day: number): number {
  if (day <= first) return 0;
  const [from, to] = [dateOf(first), dateOf(day)];
  const units = {
    DAILY: day - first,
    WEEKLY: Math.floor((day - startOfWeek(first, weekStart)) / 7),
    MONTHLY: (to.year - from.year) * 12 + to.month - from.month,
    YEARLY: to.year - from.year,
  }[frequency];
  return Math.floor(units / interval);
}

/** The first day of a period, and the day after its last. */
function periodOf(
  { frequency, interval, weekStart }: RecurrenceRule,
  first: number,
  index: number,
): [start: number, end: number] {
  const steps = index * interval;
  if (frequency === 'DAILY') return [first + steps, first + steps + 1];
  if (frequency === 'WEEKLY') {
    const start = startOfWeek(first, weekStart) + 7 * steps;
    return [start, start + 7];
  }
  const { year, month } = dateOf(first);
  if (frequency === 'YEARLY') return [dayNumber(year + steps, 1), dayNumber(year + steps + 1, 1)];
  return [dayNumber(year, month + steps), dayNumber(year, month + steps + 1)];
}

function chosenDays(rule: RecurrenceRule, start: number, end: number, months: Months): number[] {
  const chosen: number[] = [];
  for (let month = months.of(start); month.first < end; month = months.of(month.first + month.days)) {
    if (rule.months && !rule.months.has(month.number)) continue;
    const last = Math.min(end, month.first + month.days);
    for (let day = Math.max(start, month.first); day < last; day++) if (isChosen(rule, day, month)) chosen.push(day);
  }
  return chosen;
}

/** Computes the month of a day once for days that follow one another. */
class Months {
  private last?: Month;

  of(day: number): Month {
    const isLast = this.last && day >= this.last.first && day < this.last.first + this.last.days;
    return isLast && this.last ? this.last : (this.last = monthOf(day));
  }
}

type Month = ReturnType<typeof monthOf>;

/** The month of a day: its number, first day and length, and those of its year. */
function monthOf(day: number): Record<'number' | 'first' | 'days' | 'firstOfYear' | 'daysOfYear', number> {
  const { year, month } = dateOf(day);
  const [first, firstOfYear] = [dayNumber(year, month), dayNumber(year, 1)];
  const days = dayNumber(year, month + 1) - first;
  return { number: month, first, days, firstOfYear, daysOfYear: dayNumber(year + 1, 1) - firstOfYear };
}

function isChosen(rule: RecurrenceRule, day: number, month: Month): boolean {
  const { months, monthDays, yearDays, weeks, weekdays, frequency, weekStart } = rule;
  if (monthDays && !has(monthDays, day - month.first + 1, month.days)) return false;
  if (yearDays && !has(yearDays, day - month.firstOfYear + 1, month.daysOfYear)) return false;
  if (weekdays) {
    const numbers = weekdays.get(weekdayOf(day));
    if (!numbers) return false;
    const isOfYear = frequency === 'YEARLY' && !months;
    const start = isOfYear ? month.firstOfYear : month.first;
    const length = isOfYear ? month.daysOfYear : month.days;
    const nth = Math.floor((day - start) / 7) + 1;
    const nthLast = -Math.floor((start + length - 1 - day) / 7) - 1;
    if (!numbers.has(0) && !numbers.has(nth) && !numbers.has(nthLast)) return false;
  }
  return !weeks || has(weeks, ...weekOf(day, weekStart));
}

/** Whether a list has the number of an item, counted from the start or, negative, from the end. */
const has = (list: ReadonlySet<number>, number: number, length: number): boolean =>
  list.has(number) || list.has(number - length - 1);

function atPositions(days: number[], positions: ReadonlySet<number>): number[] {
  return days.filter((_, index) => has(positions, index + 1, days.length));
}

/** The number of the week of a day, and the number of weeks of its year. A week belongs to the year of its fourth day. */
function weekOf(number: number, weekStart: number): [week: number, weeks: number] {
  const start = startOfWeek(number, weekStart);
  const { year } = dateOf(start + 3);
  const firstWeek = startOfWeek(dayNumber(year, 1) + 3, weekStart);
  const nextYear = startOfWeek(dayNumber(year + 1, 1) + 3, weekStart);
  return [(start - firstWeek) / 7 + 1, (nextYear - firstWeek) / 7];
}

const startOfWeek = (number: number, weekStart: number): number => number - ((weekdayOf(number) - weekStart + 7) % 7);

/** From 0 for Sunday; the first of January 1970 was a Thursday. */
export const weekdayOf = (number: number): number => (((number + 4) % 7) + 7) % 7;

export function dateOf(number: number): { year: number; month: number; day: number } {
  const date = new Date(number * MS_PER_DAY);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** The number of the first day of a month, which may be beyond the year. */
export function dayNumber(year: number, month: number): number {
  return Date.UTC(year, month - 1, 1) / MS_PER_DAY;
}
