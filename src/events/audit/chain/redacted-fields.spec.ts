import { redactMembers } from './redacted-fields.js';

describe('redactMembers', () => {
  it.each([
    [
      { password: 'x', apiToken: 'x', 'private-key': { pem: 'x' } },
      { password: '[redacted]', apiToken: '[redacted]', 'private-key': '[redacted]' },
    ],
    [
      { token_id: 'shown', secret_name: 'shown', password_changed_at: 'shown' },
      { token_id: 'shown', secret_name: 'shown', password_changed_at: 'shown' },
    ],
    [{ deep: [{ Authorization: 'Bearer x' }] }, { deep: [{ Authorization: '[redacted]' }] }],
    [
      { token: null, secret: true },
      { token: null, secret: true },
    ],
    [{ url: 'https://user:x@metrics.example:9090/path?token=x#x' }, { url: 'https://metrics.example:9090/path' }],
    [{ url: 'https://metrics.example/a@b' }, { url: 'https://metrics.example/a@b' }],
    [{ note: 'see https://example.org/?a=b' }, { note: 'see https://example.org/?a=b' }],
    [
      ['text', 5, null],
      ['text', 5, null],
    ],
  ])('shows %j as %j', (value, shown) => {
    expect(redactMembers(value)).toEqual(shown);
  });
});
