import { findLargeIntegers, isInt64, largeIntegerDigits, parseExactJson, roundLargeIntegers, showLargeIntegers, stringifyExact, toLargeInteger } from './large-integers.js'; // prettier-ignore
import { type Json, type JsonObject } from './json.js';

const DIGITS = [
  '9007199254740993',
  '-9007199254740993',
  '9223372036854775807',
  '-9223372036854775808',
  '1234567890123456789',
];

it.each(DIGITS)('keeps the digits of %s from JSON to JSON', (digits) => {
  for (const text of [`{"a":${digits}}`, `[${digits},"${digits}",{"b":[${digits}]}]`]) {
    expect(stringifyExact(parseExactJson(text))).toBe(text);
    expect(stringifyExact(structuredClone(parseExactJson(text)))).toBe(text);
  }
  expect(stringifyExact(parseExactJson(`{ "a": ${digits} }`), 2)).toBe(`{\n  "a": ${digits}\n}`);
});

it('leaves other numbers and all text as they are', () => {
  const text = `{"a":1e20,"b":0.12345678901234567,"c":1234567890123456,"d":"9007199254740993","e\\"9007199254740993":"\\"9007199254740993,","f":"\\\\"}`;
  expect(parseExactJson(text)).toEqual(JSON.parse(text));
  expect(isInt64('9223372036854775808')).toBe(false);
  expect(toLargeInteger('1'.repeat(65))).toBeUndefined();
  expect(toLargeInteger('1.5')).toBeUndefined();
  expect(largeIntegerDigits(parseExactJson('18446744073709551615'))).toBe('18446744073709551615');
  const odd = {
    'a"\uf8ffinteger:9007199254740993': 'b"\uf8ffinteger:9007199254740993',
    '\uf8ffinteger:9007199254740993': 1,
  };
  expect(JSON.parse(stringifyExact(odd))).toEqual(odd);
});

it('is a number to those who compute, and its digits to those who look', () => {
  const value = parseExactJson('{"a":[9223372036854775807,-9007199254740993,"x"],"b":null}') as JsonObject;
  expect(roundLargeIntegers(value)).toEqual({ a: [9223372036854774784, -9007199254740992, 'x'], b: null });
  expect(showLargeIntegers(value)).toEqual({ a: ['9223372036854775807', '-9007199254740993', 'x'], b: null });
  expect(largeIntegerDigits((value['a'] as Json[])[0])).toBe('9223372036854775807');
  expect(findLargeIntegers(value)).toEqual([
    ['/a/0', '9223372036854775807'],
    ['/a/1', '-9007199254740993'],
  ]);
  const plain = { a: [1, { b: 'c' }] };
  expect(roundLargeIntegers(plain)).toBe(plain);
});

it.each([
  ['"\\', 2_000_000],
  ['\\', 4_000_000],
  ['9', 4_000_000],
])('takes time in proportion to a large text of %j', (part, count) => {
  const text = JSON.stringify({ text: part.repeat(count), number: 1 }).replace(/1\}$/, '9007199254740993}');
  const started = performance.now();
  expect(stringifyExact(parseExactJson(text))).toBe(text);
  expect(performance.now() - started).toBeLessThan(3_000);
});
