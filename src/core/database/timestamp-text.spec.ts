import pg from 'pg';
import { parseTimestamp } from './timestamp-text.js';

const parseByDriver = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ) as (text: string) => unknown;

describe('parseTimestamp', () => {
  it.each([
    ['2026-11-23 02:30:00.123456+00', '2026-11-23T02:30:00.123Z'],
    ['2026-11-23 02:30:00.12+00', '2026-11-23T02:30:00.120Z'],
    ['2026-11-23 02:30:00.7+00', '2026-11-23T02:30:00.700Z'],
    ['2026-11-23 02:30:00+00', '2026-11-23T02:30:00.000Z'],
    ['2024-02-29 23:59:59.999999+00', '2024-02-29T23:59:59.999Z'],
    ['2026-11-23 04:30:00.5+02', '2026-11-23T02:30:00.500Z'],
    ['2026-11-23 08:15:00+05:45', '2026-11-23T02:30:00.000Z'],
  ])('reads %s', (text, expected) => {
    const time = parseTimestamp(text);
    expect(new Date(time.getTime()).toISOString()).toBe(expected);
    expect(time.toISOString()).toBe(expected);
    expect(JSON.stringify({ time })).toBe(JSON.stringify({ time: expected }));
  });

  it('shows the time that a date was set to afterwards', () => {
    const time = parseTimestamp('2026-11-23 02:30:00.123456+00');
    time.setUTCFullYear(2027);
    expect(time.toJSON()).toBe('2027-11-23T02:30:00.123Z');
  });

  it.each(['infinity', '-infinity', '0044-03-15 12:00:00+00 BC', '0044-03-15 12:00:00+00', '12026-01-01 00:00:00+00'])(
    'reads %s as the driver does',
    (text) => expect(parseTimestamp(text)).toEqual(parseByDriver(text)),
  );
});
