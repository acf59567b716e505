import { generateKeyPairSync } from 'node:crypto';
import type { Env } from '../../core/config/env.js';
import type { Outbound } from '../../core/outbound/outbound.service.js';
import { IssuerKeysService } from './issuer-keys.service.js';

const MINUTE = 60_000;
const URL = 'https://issuer.example';
const jwk = { ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }), kid: 'a' };
const header = { alg: 'ES256', kid: 'a' };

describe('the keys of an issuer', () => {
  let now = 0;
  let keys: unknown[] | null = [jwk];
  let asked = 0;
  const fetch = (url: string): Promise<{ status: number; bytes: Buffer }> => {
    asked++;
    if (!keys) return Promise.reject(new Error('away'));
    const body = url.endsWith('jwks') ? { keys } : { issuer: URL, jwks_uri: `${URL}/jwks` };
    return Promise.resolve({ status: 200, bytes: Buffer.from(JSON.stringify(body)) });
  };
  const service = (): IssuerKeysService =>
    new IssuerKeysService({ fetch } as unknown as Outbound, { OIDC_ISSUER: URL } as Env);
  beforeEach(() => {
    [now, keys, asked] = [0, [jwk], 0];
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  });
  afterEach(() => jest.restoreAllMocks());

  it('serve for a day when the issuer is away, and are read again as soon as it is back', async () => {
    const found = service();
    expect(await found.find(header)).toBeDefined();
    keys = null;
    for (now = 11 * MINUTE; now < 24 * 60 * MINUTE; now += 60 * MINUTE) {
      expect(await found.find(header)).toBeDefined();
      expect(found.fault).toBe('away');
    }
    await expect(found.find({ ...header, kid: 'unknown' })).rejects.toMatchObject({ code: 'ISSUER_UNREACHABLE' });
    now = 25 * 60 * MINUTE;
    await expect(found.find(header)).rejects.toMatchObject({ code: 'ISSUER_UNREACHABLE' });
    keys = [jwk];
    now += MINUTE;
    expect(await found.find(header)).toBeDefined();
    expect(found.fault).toBeUndefined();
  });

  it('are not asked for at every call while the issuer is away', async () => {
    const found = service();
    await found.find(header);
    [keys, now] = [null, 11 * MINUTE];
    const before = asked;
    for (let call = 0; call < 20; call++) await found.find(header);
    expect(asked - before).toBe(1);
  });

  it('are not replaced by an empty set, nor by one without keys that verify', async () => {
    const found = service();
    await found.find(header);
    for (const set of [[], [{ kty: 'oct', k: 'c2VjcmV0' }]]) {
      [keys, now] = [set, now + 11 * MINUTE];
      expect(await found.find(header)).toBeDefined();
    }
    keys = [];
    await expect(service().find(header)).rejects.toMatchObject({ code: 'ISSUER_UNREACHABLE' });
  });
});
