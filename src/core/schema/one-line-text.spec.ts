import { findNameFault, isEmailAddress, normalizeEmail, normalizeText } from './one-line-text.js';

it('one-line texts are composed and have no outer space, in time that grows with their length', () => {
  expect(normalizeText(' \u200BCafe\u0301\u2060\t')).toBe('Café');
  expect(normalizeText('❤️')).toBe('❤️');
  const started = performance.now();
  normalizeText(`a${' '.repeat(1_000_000)}b`);
  normalizeText(`a${' '.repeat(1_900)}b`);
  expect(performance.now() - started).toBeLessThan(200);
});

it('names have something visible, and nothing that changes the line', () => {
  expect(['x', '日本', '👨\u200D👩', 'שלום'].map(findNameFault)).toEqual([undefined, undefined, undefined, undefined]);
  expect(findNameFault('\u200B\u00AD\u2060')).toBe('must not be empty');
  for (const name of ['a\nb', '\u0000', 'a\u0085', 'a\u202E', 'a\u2069'])
    expect(findNameFault(name)).toMatch(/control/);
});

it('addresses have their domain in ASCII and no characters that look like others', () => {
  expect(normalizeEmail(' X@BÜCHER.example ')).toBe('x@xn--bcher-kva.example');
  expect(normalizeEmail('no address')).toBe('no address');
  for (const email of ['a@example.org', 'réné@bücher.example']) expect(isEmailAddress(email)).toBe(true);
  for (const email of ['a@b', 'ａ@example.org', 'a\u200D@example.org', 'a\u202E@example.org', 'a\u00A0b@example.org'])
    expect(isEmailAddress(email)).toBe(false);
});
