import { get } from 'node:http';
import { Env } from '../src/core/config/env.js';
import { SETTINGS } from './support/settings.js';
import { World } from './support/world.js';

const ORIGIN = 'https://console.example.org';
const METRICS_TOKEN = 'a-token-of-metrics-0123456789';

let world: World;
beforeAll(
  async () => (world = await World.start({ CORS_ORIGINS: ORIGIN, TRUST_PROXY: '1', RATE_LIMIT: 'on', METRICS_TOKEN })),
);
afterAll(() => world.stop());

it('answers probes without a token, uncounted and uncached', async () => {
  for (const path of ['/healthz/live', '/healthz/ready']) {
    const { status, headers, body } = await world.stranger.get(path);
    expect({ path, status, health: body.status }).toEqual({ path, status: 200, health: 'ok' });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.has('ratelimit-limit')).toBe(false);
  }
});

it('shows metrics to callers on this machine, and to those behind a proxy or elsewhere only with the token', async () => {
  const statusOf = (headers: Record<string, string>): Promise<number> =>
    new Promise((resolve, reject) =>
      get(`${world.baseUrl}/metrics`, { headers }, (response) => resolve(response.resume().statusCode ?? 0)).on(
        'error',
        reject,
      ),
    );
  const authorization = `Bearer ${METRICS_TOKEN}`;
  for (const host of ['localhost:9081', '127.0.0.1', '[::1]:80', 'armature.localhost'])
    expect([host, await statusOf({ host })]).toEqual([host, 200]);
  const foreign: Record<string, string>[] = [
    { host: 'armature.example.org' },
    { host: 'localhost.example.org' },
    { host: '127.0.0.1.example.org:9081' },
    { host: '10.0.0.1' },
    { forwarded: 'for=10.0.0.1' },
    { 'x-forwarded-for': '10.0.0.1' },
    { 'x-forwarded-proto': 'https' },
    { 'x-forwarded-host': 'localhost' },
    { 'x-real-ip': '10.0.0.1' },
  ];
  for (const headers of foreign) {
    expect([headers, await statusOf(headers)]).toEqual([headers, 401]);
    expect([headers, await statusOf({ ...headers, authorization: 'Bearer another' })]).toEqual([headers, 401]);
    expect([headers, await statusOf({ ...headers, authorization })]).toEqual([headers, 200]);
  }
});

it('returns its version in the answer and in a header', async () => {
  const { status, headers, body } = await world.stranger.get('/api/system/version');
  expect({ status, name: body.name, api: body.api }).toEqual({ status: 200, name: 'armature', api: '1' });
  expect(headers.get('api-version')).toBe(body.api);
});

it('allows the origins of CORS_ORIGINS, and no other', async () => {
  const preflight = (origin: string) =>
    world.stranger.call('OPTIONS', '/api/environments', {
      headers: { origin, 'access-control-request-method': 'POST' },
    });
  const allowed = await preflight(ORIGIN);
  expect({ status: allowed.status, origin: allowed.headers.get('access-control-allow-origin') }).toEqual({
    status: 204,
    origin: ORIGIN,
  });
  expect((await preflight('https://elsewhere.example.org')).headers.get('access-control-allow-origin')).not.toBe(
    'https://elsewhere.example.org',
  );
});

it('counts callers behind a trusted proxy by the address that it names', async () => {
  const remaining = async (address: string) => {
    const { headers } = await world.stranger.get('/api/system/version', { headers: { 'x-forwarded-for': address } });
    return Number(headers.get('ratelimit-remaining'));
  };
  const [first, second] = [await remaining('203.0.113.1'), await remaining('203.0.113.1')];
  expect(second).toBe(first - 1);
  expect(await remaining('198.51.100.1')).toBe(first);
});

it('keeps no text as the address of a caller that is none', async () => {
  const signIn = (address: string) =>
    world.stranger.post(
      '/api/auth/login',
      { email: 'nobody@example.org', password: 'not the password' },
      { headers: { 'x-forwarded-for': address } },
    );
  for (const address of ['203.0.113.7', `<script>${'x'.repeat(5_000)}`])
    expect((await signIn(address)).status).toBe(401);
  const { body } = await world.admin.get('/api/system/audit?action=signIn&outcome=refused');
  expect((body.entries as { address: string }[]).map(({ address }) => address).sort()).toEqual([
    '203.0.113.7',
    'unknown',
  ]);
});

const SOUND = {
  ...SETTINGS,
  NODE_ENV: 'production',
  BASE_URL: 'https://armature.example.org',
  JWT_SECRET: '5f2b8c1e9a4d7036e8c1b5a29f0d4e7386b2c9d1a7e5f430',
  ENCRYPTION_KEY: '8f3c1d9be2a7604f5b18c6d37e90a2f4516bd8c07f3e29a4b6d10c8e57f2934a',
};

it('starts in production with sound settings', () => {
  expect(() => Env.parse(SOUND)).not.toThrow();
});

it.each([
  ['JWT_SECRET', 'short'],
  ['ENCRYPTION_KEY', '00'.repeat(32)],
])('refuses to start in production with a weak %s', (name, value) => {
  expect(() => Env.parse({ ...SOUND, [name]: value })).toThrow(name);
});
