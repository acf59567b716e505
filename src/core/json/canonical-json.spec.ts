import { canonicalJson } from './canonical-json.js';

describe('canonicalJson', () => {
  it.each([
    ['sorted members', { a: 1, b: 'x', c: null, d: true }, '{"a":1,"b":"x","c":null,"d":true}'],
    ['unsorted members', { b: 1, a: 2 }, '{"a":2,"b":1}'],
    ['members without a value', { a: undefined, b: 1, c: { d: undefined } }, '{"b":1,"c":{}}'],
    ['nested members', { a: { z: 1, y: [{ d: 1, c: 2 }, undefined] } }, '{"a":{"y":[{"c":2,"d":1},null],"z":1}}'],
    ['numbers as names, which JavaScript orders', { 9: 'a', 10: 'b' }, '{"10":"b","9":"a"}'],
    ['names by their UTF-16 code units', { '\u{1F600}': 1, '\uFB33': 2 }, '{"\u{1F600}":1,"\uFB33":2}'],
    ['texts that are escaped', { 'a"': '\n\u2028\ud800' }, '{"a\\"":"\\n\u2028\\ud800"}'],
    ['nothing', {}, '{}'],
  ])('writes %s', (_, value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });
});
