import { randomBytes } from 'node:crypto';
import { digestAccess } from './access-digest.js';
import type { ClusterAccess } from './cluster-access.js';

const KEY = randomBytes(32);
const ACCESS: ClusterAccess = {
  server: 'https://cluster:6443',
  tls: { ca: 'authority' },
  user: { token: 'secret-token' },
};

describe('the digest of an access', () => {
  it('is the same whatever the default namespace', () => {
    expect(digestAccess(KEY, { ...ACCESS, namespace: 'shop' })).toBe(digestAccess(KEY, structuredClone(ACCESS)));
  });

  it.each<[string, Partial<ClusterAccess>]>([
    ['server', { server: 'https://cluster:6444' }],
    ['proxy', { proxy: 'http://proxy' }],
    ['certificate authority', { tls: { ca: 'other' } }],
    ['server name', { tls: { ca: 'authority', servername: 'other' } }],
    ['verification of the certificate', { tls: { ca: 'authority', insecure: true } }],
    ['token', { user: { token: 'other' } }],
    ['password in place of the token', { user: { password: 'secret-token' } }],
    ['impersonated user', { user: { token: 'secret-token', impersonate: { user: 'jane' } } }],
    ['impersonated group', { user: { token: 'secret-token', impersonate: { user: 'jane', groups: ['admins'] } } }],
  ])('differs by %s', (_, change) => {
    expect(digestAccess(KEY, { ...ACCESS, ...change })).not.toBe(digestAccess(KEY, ACCESS));
  });

  it('cannot be computed without the key', () => {
    expect(digestAccess(randomBytes(32), ACCESS)).not.toBe(digestAccess(KEY, ACCESS));
  });
});
