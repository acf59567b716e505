import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { JsonWebKeyEntry } from './json-web-keys.js';

const rsa = (modulusLength: number): JsonWebKey =>
  generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' });
const ec = (namedCurve: string): JsonWebKey =>
  generateKeyPairSync('ec', { namedCurve }).publicKey.export({ format: 'jwk' });

const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'HS256', 'none'];
const algorithmsOf = (value: unknown): string[] | undefined => {
  const key = JsonWebKeyEntry.parse(value);
  return key ? ALGORITHMS.filter((alg) => key.matches({ alg })) : undefined;
};

describe('a key of a JSON Web Key Set', () => {
  const [strong, curve] = [rsa(2048), ec('P-256')];

  it('verifies the algorithms of its kind, or the one that it names', () => {
    expect(algorithmsOf(strong)).toEqual(['RS256', 'PS256']);
    expect(algorithmsOf({ ...strong, alg: 'PS256' })).toEqual(['PS256']);
    expect(algorithmsOf({ ...strong, alg: 'ES256' })).toEqual([]);
    expect(algorithmsOf(curve)).toEqual(['ES256']);
  });

  it('verifies nothing when it is too short or of another curve', () => {
    expect(algorithmsOf(rsa(1024))).toEqual([]);
    expect(algorithmsOf(ec('P-384'))).toEqual([]);
  });

  it('is passed over when it is for encryption, a secret, or no key', () => {
    const secret = { kty: 'oct', k: 'c2VjcmV0' };
    for (const value of [
      { ...strong, use: 'enc' },
      { ...strong, key_ops: ['encrypt'] },
      secret,
      { kty: 'RSA' },
      null,
      'key',
    ])
      expect(algorithmsOf(value)).toBeUndefined();
  });

  it('is chosen by its id, and by a token without one', () => {
    const key = JsonWebKeyEntry.parse({ ...curve, kid: 'a' });
    const matches = (kid?: string): boolean | undefined => key?.matches({ alg: 'ES256', ...(kid && { kid }) });
    expect([matches('a'), matches('b'), matches()]).toEqual([true, false, true]);
  });
});
