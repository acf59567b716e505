import pg from 'pg';

/** The offset of a time in UTC, such as `2026-11-23 02:30:00.123456+00`. PostgreSQL omits trailing zeros of the fraction. */
const UTC = '+00';
const SECONDS_END = '2026-11-23 02:30:00'.length;
const SHORTEST = SECONDS_END + UTC.length;
const CODE_OF_ZERO = 48;

const parseOther = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ) as (text: string) => Date;

/**
 * A time that keeps the database's text, from which `toISOString` derives ISO 8601. A list has twice as many times
 * as records, and formatting a Date takes longer than serializing the rest of the record.
 */
class DatabaseTime extends Date {
  readonly #written: number;
  readonly #text: string;

  constructor(written: number, text: string) {
    super(written);
    this.#written = written;
    this.#text = text;
  }

  /** Formats as `2026-11-23T02:30:00.123Z`. */
  override toISOString(): string {
    if (this.getTime() !== this.#written) return super.toISOString();
    const fraction = this.#text.slice(SECONDS_END + 1, -UTC.length).slice(0, 3);
    return `${this.#text.slice(0, 10)}T${this.#text.slice(11, SECONDS_END)}.${fraction.padEnd(3, '0')}Z`;
  }

  override toJSON(): string {
    return this.toISOString();
  }
}

/** Parses a time like the driver, without regular expressions when it is in UTC and its year has four digits. */
export function parseTimestamp(text: string): Date {
  if (text.length < SHORTEST || text[4] !== '-' || text.startsWith('0') || !text.endsWith(UTC)) return parseOther(text);
  const end = text.length - UTC.length;
  const ms =
    (end > 20 ? digitAt(text, 20) * 100 : 0) +
    (end > 21 ? digitAt(text, 21) * 10 : 0) +
    (end > 22 ? digitAt(text, 22) : 0);
  const year = twoDigitsAt(text, 0) * 100 + twoDigitsAt(text, 2);
  const [month, day] = [twoDigitsAt(text, 5) - 1, twoDigitsAt(text, 8)];
  const time = Date.UTC(year, month, day, twoDigitsAt(text, 11), twoDigitsAt(text, 14), twoDigitsAt(text, 17), ms);
  return new DatabaseTime(time, text);
}

const digitAt = (text: string, index: number): number => text.charCodeAt(index) - CODE_OF_ZERO;

const twoDigitsAt = (text: string, index: number): number => digitAt(text, index) * 10 + digitAt(text, index + 1);
