import pg from 'pg';

/** `2026-11-23 02:30:00.123456+00`, as a session in UTC writes a time: its fraction is as long as it has to be. */
const SHORTEST = '2026-11-23 02:30:00+00'.length;
const CODE_OF_ZERO = 48;

const parseOther = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ) as (text: string) => Date;

/** Reads a time as the driver does, without its regular expressions where it is in UTC and has four digits of the year. */
export function parseTimestamp(text: string): Date {
  if (text.length < SHORTEST || text[4] !== '-' || text.startsWith('0') || !text.endsWith('+00'))
    return parseOther(text);
  const at = (index: number): number => text.charCodeAt(index) - CODE_OF_ZERO;
  const twoAt = (index: number): number => at(index) * 10 + at(index + 1);
  const end = text.length - 3;
  const ms = [20, 21, 22].reduce((sum, index) => sum * 10 + (index < end ? at(index) : 0), 0);
  const year = twoAt(0) * 100 + twoAt(2);
  return new Date(Date.UTC(year, twoAt(5) - 1, twoAt(8), twoAt(11), twoAt(14), twoAt(17), ms));
}
