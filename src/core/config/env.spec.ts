import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { withDevelopmentSecrets } from './development-secrets.js';
import { Env, envVariables, InvalidEnvironment } from './env.js';
import { SECRET_VARIABLES } from './secret-files.js';
import { isPredictable, isPredictableKey } from './secret-strength.js';
import { findSettingWarnings } from './setting-warnings.js';

const hex = (): string => randomBytes(32).toString('hex');
const production = (settings: Record<string, string> = {}) => ({
  NODE_ENV: 'production',
  JWT_SECRET: hex(),
  ENCRYPTION_KEY: hex(),
  ...settings,
});

const pemOf = (namedCurve: string): string =>
  generateKeyPairSync('ec', { namedCurve }).privateKey.export({ type: 'sec1', format: 'pem' }).toString();

/** The faults that parsing these settings reports, one line each. */
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
      'JWT_PREVIOUS_KEYS has a key that is not in PEM format',
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

/** An invalid value of each setting, except settings that accept any text. */
const WRONG: Partial<Record<keyof typeof envVariables, string>> = {
  NODE_ENV: 'Production',
  PORT: '65536',
  BASE_URL: 'https://user:hunter2@host/?q',
  SHUTDOWN_DELAY: '16',
  TRUST_PROXY: 'yes',
  CORS_ORIGINS: 'a.example',
  DATABASE_URL: 'mysql://user:hunter2@host/db',
  DATABASE_SERVICE_URL: 'postgres://user:hunter2%@host/db',
  DATABASE_POOL: '1',
  REDIS_URL: 'redis:hunter2',
  ADMIN_EMAIL: 'nobody',
  JWT_SECRET: 'hunter2',
  JWT_PRIVATE_KEY: 'hunter2',
  JWT_PREVIOUS_KEYS: 'hunter2',
  ACCESS_TOKEN_TTL: '1w',
  REFRESH_TOKEN_TTL: '0',
  OIDC_ISSUER: 'https://',
  ENCRYPTION_KEY: 'hunter2',
  ENCRYPTION_PREVIOUS_KEYS: 'hunter2,hunter3',
  REGISTRY_ANONYMOUS_READ: 'yes',
  OUTBOUND_ALLOW: '10.0.0.0/33',
  OUTBOUND_CONNECTIONS: 'none',
  CLUSTER_INSECURE_TLS: '1',
  OIDC_TRUST_EMAIL: 'yes',
  CLUSTER_WATCH: 'true',
  RATE_LIMIT: 'false',
  LIMIT_WORKER_BYTES: '1048576',
  LIMIT_WORKERS_BYTES: '1048576',
  LIMIT_PERFORMANCE_RATE: '1000001',
  LIMIT_PERFORMANCE_CONNECTIONS: '10001',
  LIMIT_PERFORMANCE_SECONDS: '86401',
  APPROVAL_TTL: 'soon',
  SMTP_URL: 'smtp://',
  MAIL_FROM: 'nobody',
  OPERATOR_MANIFEST: '/nowhere/manifest.yaml',
  OPERATOR_IMAGE: 'an image',
  BROKER_IMAGE: 'an image',
  MESHSYNC_IMAGE: 'an image',
  ADAPTER_IMAGES: 'istio',
  OPERATOR_NAMESPACE: 'Meshery',
  PROGRAM_ISOLATION: 'on',
  GRAPHQL_PLAYGROUND: 'true',
  METRICS_TOKEN: 'hunter2',
  LOG_LEVEL: 'verbose',
  CONSOLE: 'maybe',
  LOG_FORMAT: 'text',
  AUDIT_FORWARD: 'syslog://',
  EVENT_RETENTION: '23h',
  AUDIT_RETENTION: '1',
};
const ANY_TEXT = ['HOST', 'DATA_DIR', 'ADMIN_PASSWORD', 'OIDC_AUDIENCE', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'HELM_BIN', 'KUSTOMIZE_BIN', 'FORTIO_BIN', 'K6_BIN']; // prettier-ignore

describe('A wrong value', () => {
  const names = Object.keys(envVariables) as (keyof typeof envVariables)[];
  const wrong = (name: keyof typeof envVariables): string => WRONG[name] ?? (name.startsWith('LIMIT_') ? '0' : '');

  it.each(names.filter((name) => !ANY_TEXT.includes(name)))('of %s is one fault, which does not show it', (name) => {
    expect(wrong(name)).not.toBe('');
    const faults = faultsOf({ DATABASE_URL: 'postgres://host/db', MAIL_FROM: 'a@example.org', [name]: wrong(name) });
    expect(faults).toEqual([expect.stringMatching(new RegExp(`^${name} (must (be|have) |has a % |cannot be read: )`))]);
    expect(faults.join()).not.toMatch(/hunter|Invalid option/);
  });

  it('of every setting is named at once', () => {
    const settings: Record<string, string> = {};
    for (const name of names) if (wrong(name) !== '') settings[name] = wrong(name);
    const named = faultsOf(settings).map((line) => line.split(' ')[0]);
    expect(named).toEqual(expect.arrayContaining(Object.keys(settings)));
    expect(named).toHaveLength(new Set(named).size);
  });

  it.each([
    [
      'DATABASE_URL',
      'postgres://host/db?sslmode=verify',
      'must have a sslmode of disable, prefer, require, verify-ca, verify-full, no-verify',
    ],
    [
      'DATABASE_URL',
      'postgres://host/db?sslrootcert=/nowhere/ca.pem',
      'has a file in sslrootcert that cannot be read: ENOENT',
    ],
    ['DATABASE_SERVICE_URL', 'postgres://host/db', 'needs DATABASE_URL'],
    ['OPERATOR_MANIFEST', tmpdir(), 'cannot be read: '],
  ])('of %s that only its use would show is found at start: %s', (name, value, message) => {
    expect(faultsOf({ [name]: value })).toEqual([expect.stringContaining(`${name} ${message}`)]);
  });
});

describe('Warnings of settings', () => {
  const warningsOf = (settings: Record<string, string>) => findSettingWarnings(settings, Env.parse(settings));

  it.each([
    ['LOG_LEVL', 'LOG_LEVEL'],
    ['JWT_SECERT', 'JWT_SECRET'],
    ['LIMIT_BODYBYTES', 'LIMIT_BODY_BYTES'],
    ['database_url', 'DATABASE_URL'],
    ['METRICS_TOKEN_FLE', 'METRICS_TOKEN_FILE'],
    ['CORS_ORIGIN', 'CORS_ORIGINS'],
  ])('%s is taken for a misspelt %s, whose value is not shown', (name, meant) => {
    expect(warningsOf({ [name]: 'hunter2' })).toEqual([`${name} is not a known setting; did you mean ${meant}?`]);
  });

  it('leave alone what belongs to others', () => {
    const others = ['HOME', 'PATH', 'HOSTNAME', 'DATABASE_PORT', 'ARMATURE_PORT', 'NODE_OPTIONS', 'POSTGRES_PASSWORD', 'PWD']; // prettier-ignore
    expect(warningsOf(Object.fromEntries(others.map((name) => [name, 'x'])))).toEqual([]);
  });

  it('name settings that do nothing', () => {
    expect(
      warningsOf({
        PORT_FILE: '/run/port',
        LIMIT_UPLOADS: '5',
        RATE_LIMIT: 'off',
        LIMIT_REQUESTS_PER_MINUTE: '10',
        OIDC_AUDIENCE: 'armature',
        LIMIT_PUBLIC_BODY_BYTES: '2000',
        LIMIT_BODY_BYTES: '1000',
      }),
    ).toEqual([
      'PORT_FILE is not read: only secrets can come from a file. Set PORT.',
      'LIMIT_UPLOADS is not a known setting; .env.example lists all settings.',
      'OIDC_AUDIENCE has no effect, since OIDC_ISSUER is off or not set.',
      'LIMIT_REQUESTS_PER_MINUTE has no effect, since RATE_LIMIT is off or not set.',
      'LIMIT_PUBLIC_BODY_BYTES is larger than LIMIT_BODY_BYTES, so LIMIT_BODY_BYTES applies first.',
    ]);
  });
});

describe('Secrets of development', () => {
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'secrets-'));
  afterAll(() => fs.rmSync(folder, { recursive: true }));
  const faultOf = (DATA_DIR: string) => withDevelopmentSecrets({ DATA_DIR }).faults;

  it('are made once', () => {
    const made = withDevelopmentSecrets({ DATA_DIR: path.join(folder, 'a/b') });
    expect(made.faults).toEqual([]);
    expect(Env.parse(made.source).JWT_SECRET).toMatch(/^[0-9a-f]{64}$/);
    expect(withDevelopmentSecrets({ DATA_DIR: path.join(folder, 'a/b') })).toEqual(made);
    expect(fs.readdirSync(path.join(folder, 'a/b'))).toEqual(['secrets.json']);
  });

  it('that cannot be kept or read are a fault of DATA_DIR, without the secret', () => {
    fs.writeFileSync(path.join(folder, 'file'), '');
    for (const place of [path.join(folder, 'file'), path.join(folder, 'file/below'), '/proc/nowhere'])
      expect(faultOf(place)).toEqual([
        { name: 'DATA_DIR', message: expect.stringMatching(/^cannot store the generated secrets: /) as string },
      ]);
    for (const content of ['hunter2', '["hunter2"]', '{"JWT_SECRET":"hunter2']) {
      fs.writeFileSync(path.join(folder, 'secrets.json'), content);
      const [fault] = faultOf(folder);
      expect(fault?.message).toContain('is not a JSON object. Restore it');
      expect(fault?.message).not.toContain('hunter');
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
