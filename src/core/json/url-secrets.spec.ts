import { maskUrl, secretsInUrl } from './url-secrets.js';

describe('a URL', () => {
  it.each([
    ['https://user:word@host:8080/a?b=c&d#e', 'https://[redacted]@host:8080/a?b=[redacted]&[redacted]#[redacted]'],
    ['https://token@host/a', 'https://[redacted]@host/a'],
    ['https:\\\\user:word@host\\a', 'https://[redacted]@host/a'],
    ['https:///user:word@host/a', 'https://[redacted]@host/a'],
    ['postgres://user:word@host/db', 'postgres://[redacted]@host/db'],
    [
      'https://hooks.example/services/T00/B00/abcdefGHIJKLmnop12345678',
      'https://hooks.example/services/T00/B00/[redacted]',
    ],
    ['https://host/0193a0c4-0000-7000-8000-000000000001/x', 'https://host/0193a0c4-0000-7000-8000-000000000001/x'],
    ['https://host/webhooks/deployments-of-production', 'https://host/webhooks/deployments-of-production'],
    ['http://127.0.0.1:9', 'http://127.0.0.1:9'],
    ['see: what? yes', 'see: what? yes'],
    ['mailto:a@b.example?subject=c', 'mailto:a@b.example?subject=c'],
  ])('%s is shown as %s, also when that is shown', (url, shown) => {
    expect(maskUrl(url, { path: true })).toBe(shown);
    expect(maskUrl(shown, { path: true })).toBe(shown);
  });

  it('names what it hides, as written and decoded', () => {
    expect(secretsInUrl('https://a%20b:c%2Fd@host/e?f=g%26h')).toEqual(
      expect.arrayContaining(['a b', 'c/d', 'c%2Fd', 'g&h']),
    );
    expect(secretsInUrl('https://host/path')).toEqual([]);
  });
});
