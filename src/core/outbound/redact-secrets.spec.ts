import { redactSecrets } from './redact-secrets.js';

const basic = Buffer.from('ann:hush-hush').toString('base64');

it.each([
  ['a token', 'got Bearer hush-hush', { token: 'hush-hush' }, 'got Bearer [redacted]'],
  ['a pair', `got Basic ${basic}`, { username: 'ann', password: 'hush-hush' }, 'got Basic [redacted]'],
  ['a nested word', 'x hush-hush x', { user: { token: 'hush-hush' } }, 'x [redacted] x'],
  ['the longer of two', 'hush-hush-hush', { a: 'hush-hush', b: 'hush-hush-hush' }, '[redacted]'],
  ['a word too short to be distinguished', 'yes', { token: 'yes' }, 'yes'],
  ['the token of a header', 'token hush-hush', { Authorization: 'Bearer hush-hush' }, 'token [redacted]'],
  ['a word in JSON', '{"a":"hush\\"\\/hush"}', { token: 'hush"/hush' }, '{"a":"[redacted]"}'],
  ['a word in a URL', '?a=hush%2Fhush+hush', { token: 'hush/hush hush' }, '?a=[redacted]'],
  ['nothing', 'as it was', null, 'as it was'],
])('hides %s', (_, text, secret, expected) => {
  expect(redactSecrets(text, secret)).toBe(expected);
});
