import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Env, InvalidEnvironment } from './env.js';
import { SECRET_VARIABLES } from './secret-files.js';
import { isPredictable, isPredictableKey } from './secret-strength.js';

const hex = (): string => randomBytes(32).toString('hex');
const production = (settings: Record<string, string> = {}) => ({
  NODE_ENV: 'production',
  JWT_SECRET: hex(),
  ENCRYPTION_KEY: hex(),
  ...settings,
});

const pemOf = (namedCurve: string): string =>
  generateKeyPairSync('ec', { namedCurve }).privateKey.export({ type: 'sec1', format: 'pem' }).toString();

/** The lines that a start with these settings ends with. */
function faultsOf(settings: Record<string, string>): string[] {
  try {
    Env.parse(settings);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidEnvironment)) throw error;
    return error.message.split('\n').slice(1).map((line) => line.trim()); // prettier-ignore
  }
}

describe('The settings', () => {
  it('are named all at once when they are wrong, those that need one another too', () => {
    const lines = faultsOf({ NODE_ENV: 'production', PORT: 'abc', JWT_SECRET: 'short', SMTP_URL: 'smtp://mail', OIDC_ISSUER: 'https://id.example.org' }); // prettier-ignore
    expect(lines).toEqual([
      'PORT must be a whole number',
      'JWT_SECRET must have at least 32 characters',
      'ENCRYPTION_KEY is required in production: openssl rand -hex 32',
      'OIDC_AUDIENCE is required when OIDC_ISSUER is set',
      'MAIL_FROM is required when SMTP_URL is set',
    ]);
  });

  it.each([
    ['TRUST_PROXY', ['true', '2', '10.0.0.0/8, fd00::/8', 'loopback'], ['yes', '-1', '10.0.0.0/33', '1.5']],
    [
      'CORS_ORIGINS',
      ['*', 'https://a.example/,http://b.example:8080'],
      ['a.example', 'https://a.example/path', 'null'],
    ],
    ['OUTBOUND_ALLOW', ['10.0.0.0/8,::1', '192.0.2.1'], ['10', '10.0.0.0/33', 'example.org', '::/129']],
    ['MAIL_FROM', ['a@example.org', 'Armature <a@localhost>'], ['abc', 'a@b\nBcc: c@d', '<>', 'a@b c@d']],
    ['REFRESH_TOKEN_TTL', ['36525d', '1'], ['99999999999999999999', '36526d', '0']],
    ['JWT_PRIVATE_KEY', [pemOf('P-256')], ['abc', pemOf('P-384')]],
  ])('check %s', (name, sound, wrong) => {
    for (const value of sound) expect([value, faultsOf({ [name]: value })]).toEqual([value, []]);
    for (const value of wrong)
      expect([value, faultsOf({ [name]: value })]).toEqual([value, [expect.stringContaining(`${name} must `)]]);
  });

  it('write origins as browsers do', () => {
    expect(Env.parse({ CORS_ORIGINS: 'https://A.example/, *' }).CORS_ORIGINS).toEqual(['https://a.example', '*']);
  });

  it.each([
    'abcdefghijklmnopqrstuvwxyz012345',
    'zyxwvutsrqponmlkjihgfedcba987654',
    'ABCDEFGHIJKLMNOP1234567890abcdef',
    'qazwsxedcrfvtgbyhnujmikolp-secret',
    'asdfghjklqwertzuiopyxcvbnm098765',
    'k3Jd9sLq0P'.repeat(4),
    '11112222333344445555666677778888',
    'my-armature-installation-example',
  ])('refuse the long but predictable secret %s in production', (secret) => {
    expect(faultsOf(production({ JWT_SECRET: secret }))).toEqual([
      'JWT_SECRET is too predictable: openssl rand -hex 32',
    ]);
  });

  it.each([
    '0123456789abcdef'.repeat(4),
    '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f',
    'ab'.repeat(32),
    Buffer.from('abcdefghijklmnopqrstuvwxyz012345').toString('base64'),
    Buffer.from('this is a 32 byte key for tests!').toString('base64'),
  ])('refuse the predictable key %s in production', (key) => {
    expect(faultsOf(production({ ENCRYPTION_KEY: key }))).toEqual([
      'ENCRYPTION_KEY is too predictable: openssl rand -hex 32',
    ]);
  });

  it('refuse previous keys that anybody can sign tokens with, and one secret for two purposes', () => {
    const pem = createPublicKey(pemOf('P-256'))
      .export({ type: 'spki', format: 'pem' })
      .toString()
      .replaceAll('\n', '\\n');
    expect(faultsOf({ JWT_PREVIOUS_KEYS: 'secret' })).toEqual([
      'JWT_PREVIOUS_KEYS must have secrets of at least 32 characters',
    ]);
    expect(faultsOf(production({ JWT_PREVIOUS_KEYS: `${hex()},${'a'.repeat(40)}` }))).toEqual([
      'JWT_PREVIOUS_KEYS has a secret that is too predictable: leave it out, and its tokens end',
    ]);
    expect(faultsOf(production({ JWT_PREVIOUS_KEYS: `${hex()},${pem}` }))).toEqual([]);
    expect(faultsOf({ JWT_PREVIOUS_KEYS: pem.replace('MFkw', 'AAAA') })).toEqual([
      'JWT_PREVIOUS_KEYS has a key that is no PEM',
    ]);
    const same = hex();
    expect(faultsOf(production({ JWT_SECRET: same, ENCRYPTION_KEY: same }))).toEqual([
      'ENCRYPTION_KEY must differ from JWT_SECRET: openssl rand -hex 32',
    ]);
  });

  it('take what a generator makes', () => {
    for (let n = 0; n < 2_000; n++) {
      const bytes = randomBytes(32);
      expect(isPredictable(bytes.toString('hex'))).toBe(false);
      expect(isPredictableKey(bytes.toString('base64'), bytes)).toBe(false);
      expect(isPredictable(bytes.toString('base64url'))).toBe(false);
    }
  });
});

describe('Secrets in files', () => {
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'secrets-'));
  afterAll(() => fs.rmSync(folder, { recursive: true }));
  const file = (content: string): string => {
    const name = path.join(folder, randomBytes(4).toString('hex'));
    fs.writeFileSync(name, content);
    return name;
  };

  it('are read without the line end', () => {
    const [secret, key] = [hex(), hex()];
    const { JWT_SECRET, ENCRYPTION_KEY } = Env.parse({ NODE_ENV: 'production', JWT_SECRET_FILE: file(`${secret}\n`), ENCRYPTION_KEY_FILE: file(key) }); // prettier-ignore
    expect([JWT_SECRET, ENCRYPTION_KEY?.toString('hex')]).toEqual([secret, key]);
  });

  it.each(SECRET_VARIABLES)('can be %s', (name) => {
    expect(faultsOf({ ...production(), [name]: '', [`${name}_FILE`]: path.join(folder, 'absent') })[0]).toMatch(
      new RegExp(`^${name}_FILE cannot be read: ENOENT`),
    );
  });

  it('are refused when they are given twice, empty or no secret at all', () => {
    const given = (settings: Record<string, string>) => faultsOf(production(settings))[0];
    expect(given({ JWT_SECRET_FILE: file(hex()) })).toBe(
      'JWT_SECRET_FILE is given together with JWT_SECRET: set one of the two',
    );
    expect(given({ SMTP_URL_FILE: file('\n'), MAIL_FROM: 'a@example.org' })).toContain('is empty');
    expect(given({ METRICS_TOKEN_FILE: folder })).toContain('cannot be read: EISDIR');
    expect(given({ METRICS_TOKEN_FILE: file('x'.repeat(70_000)) })).toContain('more than 65536 bytes');
    expect(given({ METRICS_TOKEN_FILE: file('short') })).toBe('METRICS_TOKEN must have at least 16 characters');
  });
});
