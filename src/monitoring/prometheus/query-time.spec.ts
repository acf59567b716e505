import { assertRange, parseTime } from './query-time.js';

it.each([
  ['0', 0],
  ['1700000000', 1_700_000_000],
  ['1700000000.25', 1_700_000_000.25],
  ['2023-11-14T22:13:20Z', 1_700_000_000],
  ['2023-11-15T00:13:20.5+02:00', 1_700_000_000.5],
])('the time %s is %d in Unix seconds', (text, seconds) => expect(parseTime(text)).toBe(seconds));

it.each([
  '',
  ' 1',
  '-1',
  '1e9',
  'NaN',
  'now',
  '2023-11-14',
  '2023-11-14 22:13:20Z',
  '2023-13-14T22:13:20Z',
  '1'.repeat(20),
])('the time %j is none', (text) => expect(parseTime(text)).toBeUndefined());

it('a range has at most 11,000 points, and an end after its start', () => {
  expect(() => assertRange({ start: '0', end: '10999', step: '1' })).not.toThrow();
  expect(() => assertRange({ start: '0', end: '11000', step: '1' })).toThrow('makes 11001 points');
  expect(() => assertRange({ start: '5', end: '4', step: '1' })).toThrow('end is before start');
  expect(() => assertRange({ start: '5', end: '5', step: '1y' })).not.toThrow();
  expect(() => assertRange({ end: '5' })).not.toThrow();
});
