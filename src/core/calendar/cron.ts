import { dateOf, dayNumber, weekdayOf } from './recurrence-rule.js';
import { instantsOf, MS_PER_DAY, MS_PER_MINUTE, toInstant, toLocal } from './time-zone.js';

const MAX_LENGTH = 100;
const MAX_YEARS = 10;
const DAYS_OF_YEAR = 366;

const NICKNAMES: Record<string, string> = {
  '@YEARLY': '0 0 1 1 *',
  '@ANNUALLY': '0 0 1 1 *',
  '@MONTHLY': '0 0 1 * *',
  '@WEEKLY': '0 0 * * 0',
  '@DAILY': '0 0 * * *',
  '@MIDNIGHT': '0 0 * * *',
  '@HOURLY': '0 * * * *',
};
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

interface Field {
  name: string;
  min: number;
  max: number;
  /** Names of the values, from the first on. */
  names?: readonly string[];
}

const MINUTE: Field = { name: 'the minute', min: 0, max: 59 };
const HOUR: Field = { name: 'the hour', min: 0, max: 23 };
const DAY: Field = { name: 'the day of the month', min: 1, max: 31 };
const MONTH: Field = { name: 'the month', min: 1, max: 12, names: MONTHS };
const WEEKDAY: Field = { name: 'the day of the week', min: 0, max: 7, names: WEEKDAYS };

/** An expression that is not offered. */
export class CronFault extends Error {}

/** A cron expression of five fields, as Vixie cron reads it. */
export class CronExpression {
  /** Minutes of a day, in order. */
  private readonly minutes: readonly number[];
  private readonly isOfEveryHour: boolean;
  private readonly months: ReadonlySet<number>;
  private readonly days: ReadonlySet<number>;
  private readonly isLastDay: boolean;
  /** Weekdays from 0 for Sunday to 6: which of the month, where 0 is each and -1 the last. */
  private readonly weekdays: ReadonlyMap<number, ReadonlySet<number>>;
  private readonly needsBothDays: boolean;

  /** @throws CronFault saying what is wrong */
  constructor(text: string) {
    const known = NICKNAMES[text.trim().toUpperCase()];
    const fields = (known ?? text).trim().toUpperCase().split(/\s+/);
    const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
    if (text.length > MAX_LENGTH || fields.length !== 5)
      throw new CronFault(
        'must be five fields, minute, hour, day of the month, month, day of the week, or one of @yearly, @monthly, @weekly, @daily and @hourly',
      );
    const [minutes, hours] = [readField(minute, MINUTE), readField(hour, HOUR)];
    this.minutes = inOrder(hours).flatMap((hour) => inOrder(minutes).map((minute) => hour * 60 + minute));
    this.isOfEveryHour = hours.size === 24;
    this.months = readField(month, MONTH);
    const items = day.split(',');
    this.isLastDay = items.includes('L');
    const numbers = items.filter((item) => item !== 'L');
    this.days = numbers.length === 0 ? new Set() : readField(numbers.join(','), DAY);
    this.weekdays = readWeekdays(weekday);
    this.needsBothDays = day.startsWith('*') || weekday.startsWith('*');
  }

  /**
   * The next instant after another; null when there is none within ten years. A local time that the clock leaves out moves forward by
   * the gap; one that comes twice is its first, except in an expression of every hour, which goes on by the hour.
   */
  next(after: number, timezone: string): number | null {
    const first = Math.floor(toLocal(after, timezone) / MS_PER_DAY) - 1;
    for (let day = first; day < first + MAX_YEARS * DAYS_OF_YEAR; day++) {
      const found = this.findInDay(day, after, timezone);
      // A gap may move the times of a day past the first ones of the next.
      if (found < Infinity) return Math.min(found, this.findInDay(day + 1, after, timezone));
    }
    return null;
  }

  private isOfDay(number: number): boolean {
    const { year, month, day } = dateOf(number);
    if (!this.months.has(month)) return false;
    const last = dayNumber(year, month + 1) - dayNumber(year, month);
    const isDay = this.days.has(day) || (this.isLastDay && day === last);
    const which = this.weekdays.get(weekdayOf(number));
    const isWeekday = which?.has(0) ?? false;
    const isNumbered = which !== undefined && (which.has(Math.ceil(day / 7)) || (which.has(-1) && day > last - 7));
    return this.needsBothDays ? isDay && (isWeekday || isNumbered) : isDay || isWeekday || isNumbered;
  }

  /** The first instant of a day after another; Infinity when there is none. */
  private findInDay(day: number, after: number, timezone: string): number {
    let found = Infinity;
    if (!this.isOfDay(day)) return found;
    const start = day * MS_PER_DAY;
    const offsets = [start, start + MS_PER_DAY].map((local) => local - toInstant(local, timezone));
    const [least, most] = [Math.min(...offsets), Math.max(...offsets)];
    for (const minute of this.minutes) {
      const local = start + minute * MS_PER_MINUTE;
      if (local - least <= after) continue;
      if (local - most >= found) break;
      const instants = instantsOf(local, timezone);
      for (const instant of this.isOfEveryHour ? instants : instants.slice(0, 1))
        if (instant > after) found = Math.min(found, instant);
    }
    return found;
  }
}

function readWeekdays(text: string): Map<number, Set<number>> {
  const weekdays = new Map<number, Set<number>>();
  for (const item of text.split(',')) {
    const [, name = item, mark] = /^([^L#]+)(L|#[1-5])$/.exec(item) ?? [];
    const which = mark === undefined ? 0 : mark === 'L' ? -1 : Number(mark.slice(1));
    const days = mark === undefined ? readField(item, WEEKDAY) : [readValue(name, WEEKDAY)];
    for (const day of days) weekdays.set(day % 7, (weekdays.get(day % 7) ?? new Set()).add(which));
  }
  return weekdays;
}

function readField(text: string, field: Field): Set<number> {
  const values = new Set<number>();
  for (const item of text.split(',')) {
    const [range = '', step = '1', ...more] = item.split('/');
    const by = /^\d{1,4}$/.test(step) ? Number(step) : 0;
    if (more.length > 0 || by === 0) throw new CronFault(`has the step ${item} in ${field.name}, as */5 is one`);
    const [from, to] = readRange(range, field, item.includes('/'));
    for (let value = from; value <= to; value += by) values.add(value);
  }
  return values;
}

function readRange(text: string, field: Field, hasStep: boolean): [from: number, to: number] {
  // Seven is Sunday once more.
  if (text === '*') return [field.min, field === WEEKDAY ? 6 : field.max];
  const [first = '', second, ...more] = text.split('-');
  const from = readValue(first, field);
  if (second === undefined) return [from, hasStep ? field.max : from];
  const end = readValue(second, field);
  const to = field === WEEKDAY && end === 0 && from > 0 ? 7 : end;
  if (more.length > 0 || to < from) throw new CronFault(`has the range ${text} in ${field.name}, which runs backwards`);
  return [from, to];
}

function readValue(text: string, { name, min, max, names = [] }: Field): number {
  const index = names.indexOf(text);
  const value = index >= 0 ? index + (min === 1 ? 1 : 0) : /^\d{1,2}$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= max) return value;
  throw new CronFault(`has ${JSON.stringify(text)} in ${name}${offer(text, name)}`);
}

function offer(text: string, name: string): string {
  if (text === '?') return ': write *';
  if (text.endsWith('W')) return ': the nearest working day is not offered';
  if (/^L(-|$)/.test(text))
    return name === WEEKDAY.name
      ? ': the last one is written with its day, as FRIL'
      : ': only L, the last day, is offered';
  return '';
}

const inOrder = (values: ReadonlySet<number>): number[] => [...values].sort((a, b) => a - b);
