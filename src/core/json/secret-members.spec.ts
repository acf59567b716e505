import { maskMembers, unmaskMembers } from './secret-members.js';

const metadata = {
  ...{ password: 'one', apiKey: 'two', ssh_key: 'three', nested: [{ token: { inner: 'four' } }], public_key: 'shown' },
  ...{ url: 'https://user:five@host/path', note: 'shown', token_id: 'shown', secret: null, tokens: false },
};
const shown = {
  ...{ password: '[redacted]', apiKey: '[redacted]', ssh_key: '[redacted]', nested: [{ token: '[redacted]' }] },
  ...{ public_key: 'shown', url: 'https://[redacted]@host/path', note: 'shown', token_id: 'shown' },
  ...{ secret: null, tokens: false },
};

describe('the secrets of free members', () => {
  it('are masked by the name of the member and in URLs, and come back where the mask is unchanged', () => {
    const masked = maskMembers(metadata);
    expect(masked.shown).toEqual(shown);
    expect(Object.keys(masked.hidden).sort()).toEqual(['/apiKey', '/nested/0/token', '/password', '/ssh_key', '/url']);
    expect(unmaskMembers(shown, masked.shown, masked.hidden)).toEqual(metadata);
    const change = { ...shown, password: 'new', url: 'https://[redacted]@other/path', nested: [] };
    expect(unmaskMembers(change, masked.shown, masked.hidden)).toEqual({
      ...{ ...metadata, password: 'new', url: 'https://[redacted]@other/path', nested: [] },
    });
  });
});
