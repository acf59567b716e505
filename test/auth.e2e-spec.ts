import { randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { openSocket, within } from './support/open-socket.js';
import { type Answer, type Json, Person } from './support/person.js';
import { PASSWORD } from './support/settings.js';
import { World } from './support/world.js';

const SECRET = 'a secret for tests that is long enough';
let world: World;

beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

const login = (email: string, password = PASSWORD): Promise<Answer> =>
  world.stranger.post('/api/auth/login', { email, password });
const refresh = (token: string): Promise<Answer> => world.stranger.post('/api/auth/refresh', { refresh_token: token });
const bearing = (token: string): Person => new Person(world.baseUrl, token);
const profile = (token: string): Promise<Answer> => bearing(token).get('/api/identity/users/profile');
const signedIn = async (): Promise<Json> => (await login((await world.person()).email)).body;

describe('signing in', () => {
  it('gives an access token that works and a refresh token', async () => {
    const { email } = await world.person();
    const { status, body } = await login(` ${email.toUpperCase()} `);
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.any(String),
    });
    expect((await profile(body.access_token)).body.email).toBe(email);
  });

  it('says the same of a wrong password and of an unknown address', async () => {
    const { email } = await world.person();
    const [wrong, unknown] = await Promise.all([
      login(email, 'not the password'),
      login(`${randomUUID()}@example.org`),
    ]);
    expect(wrong).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
    const scrub = ({ body }: Answer): Json => ({ ...body, request_id: '' });
    expect(scrub(unknown)).toEqual(scrub(wrong));
  });

  it('gets a list of what is missing', async () => {
    const { status, body } = await world.stranger.post('/api/auth/login', {});
    expect(status).toBe(400);
    expect(body.errors.map((fault: Json) => fault.pointer)).toEqual(['/email', '/password']);
  });
});

describe('a refresh token', () => {
  it('is traded for the next pair, once', async () => {
    const first = await signedIn();
    const second = await refresh(first.refresh_token);
    expect(second.status).toBe(200);
    expect(second.body.refresh_token).not.toBe(first.refresh_token);
    expect((await profile(second.body.access_token)).status).toBe(200);
    expect((await refresh(second.body.refresh_token)).status).toBe(200);
  });

  it('that was used before ends the whole family', async () => {
    const first = await signedIn();
    const second = (await refresh(first.refresh_token)).body;
    expect((await refresh(first.refresh_token)).status).toBe(401);
    expect((await refresh(second.refresh_token)).status).toBe(401);
    expect((await profile(first.access_token)).status).toBe(401);
    expect((await profile(second.access_token)).status).toBe(401);
  });

  it('that two callers race with is given to one of them at most, and ends the family', async () => {
    const { refresh_token } = await signedIn();
    const answers = await Promise.all([1, 2, 3, 4].map(() => refresh(refresh_token)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(3);
    expect((await refresh(won[0]?.body.refresh_token)).status).toBe(401);
  });

  it('that is unknown or expired is refused', async () => {
    expect((await refresh('nothing like it')).status).toBe(401);
    const { refresh_token, access_token } = await signedIn();
    const { sid } = jwt.decode(access_token) as Json;
    await world.sql(`UPDATE session SET expires_at = now() WHERE id = $1`, [sid]);
    expect((await refresh(refresh_token)).status).toBe(401);
  });

  it('is not kept as it is', async () => {
    const { refresh_token } = await signedIn();
    const rows = await world.sql(`SELECT FROM refresh_token WHERE hash = convert_to($1, 'UTF8')`, [refresh_token]);
    expect(rows).toEqual([]);
  });
});

describe('signing out', () => {
  it('ends the session at once, over REST, GraphQL and on an open socket', async () => {
    const { access_token, refresh_token } = await signedIn();
    const person = bearing(access_token);
    const socket = await openSocket(person);
    expect((await profile(access_token)).status).toBe(200);
    expect((await person.post('/api/auth/logout', { refresh_token })).status).toBe(200);
    expect(await profile(access_token)).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
    expect((await person.graphql('{ __typename }')).body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    expect(await within(1000, socket.closed)).toBe(4403);
    expect((await refresh(refresh_token)).status).toBe(401);
    await expect(openSocket(person)).rejects.toThrow('4403');
  });

  it('leaves the other sessions of the user alone', async () => {
    const { email } = await world.person();
    const [one, other] = [(await login(email)).body, (await login(email)).body];
    const socket = await openSocket(bearing(other.access_token));
    await bearing(one.access_token).post('/api/auth/logout', { refresh_token: one.refresh_token });
    expect((await profile(other.access_token)).status).toBe(200);
    expect(await within(300, socket.closed)).toBe('open');
    socket.close();
  });

  it('refuses a token that was used, and ends its family all the same', async () => {
    const first = await signedIn();
    const second = (await refresh(first.refresh_token)).body;
    const out = await bearing(first.access_token).post('/api/auth/logout', { refresh_token: first.refresh_token });
    expect(out.status).toBe(401);
    expect((await profile(second.access_token)).status).toBe(401);
  });

  it('is closed to callers without an access token', async () => {
    expect((await world.stranger.post('/api/auth/logout', { refresh_token: 'x' })).status).toBe(401);
  });
});

describe('an access token', () => {
  const claims = (): Json => jwt.decode(world.admin.token ?? '', { complete: true });
  const forge = (
    change: { payload?: object; header?: object; secret?: string; algorithm?: jwt.Algorithm } = {},
  ): string => {
    const { header, payload } = claims();
    return jwt.sign({ ...payload, ...change.payload }, change.secret ?? SECRET, {
      algorithm: change.algorithm ?? 'HS256',
      header: { ...header, ...change.header },
    });
  };
  const refused = async (token: string): Promise<void> => {
    const answer = await profile(token);
    expect(answer).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    expect((await bearing(token).graphql('{ __typename }')).body).toMatchObject({
      data: null,
      errors: [{ extensions: { code: 'UNAUTHENTICATED' } }],
    });
    await expect(openSocket(bearing(token))).rejects.toThrow('4403');
  };

  it('made with the secret holds, so that what follows is refused for its own reason', async () => {
    expect((await profile(forge())).status).toBe(200);
  });

  it('signed with another secret is refused', () =>
    refused(forge({ secret: 'another secret that is long enough too' })));

  it('signed with the secret and another algorithm is refused', () =>
    refused(forge({ algorithm: 'HS512', header: { alg: 'HS512' } })));

  it('without a signature is refused', async () => {
    const { payload } = claims();
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    await refused(`${part({ ...claims().header, alg: 'none' })}.${part(payload)}.`);
    await refused(`${part({ alg: 'none' })}.${part(payload)}.`);
  });

  it('that has expired is refused', () =>
    refused(forge({ payload: { iat: 1, exp: Math.floor(Date.now() / 1000) - 1 } })));

  it('of another issuer, or of a key that is unknown, is refused', async () => {
    await refused(forge({ payload: { iss: 'https://issuer.example.org' } }));
    await refused(forge({ header: { kid: 'unknown' } }));
  });

  it('of a session that is not the named user, or is no session, is refused', async () => {
    await refused(forge({ payload: { sub: randomUUID() } }));
    await refused(forge({ payload: { sid: randomUUID() } }));
    await refused(forge({ payload: { sid: 'nonsense' } }));
    await refused(forge({ payload: { sid: undefined } }));
  });

  it('that is cut, or no token at all, is refused', async () => {
    await refused((world.admin.token ?? '').slice(0, -2));
    await refused('garbage');
    await refused('a.b.c');
  });

  it('is taken from the header only, never from a cookie or the query', async () => {
    const { token } = world.admin;
    const path = '/api/identity/users/profile';
    expect(
      (await world.stranger.get(path, { headers: { cookie: `token=${token}; access_token=${token}` } })).status,
    ).toBe(401);
    expect((await world.stranger.get(`${path}?access_token=${token}`)).status).toBe(401);
    expect((await world.stranger.get(path, { headers: { authorization: `Basic ${token}` } })).status).toBe(401);
  });
});

describe('the session of the console', () => {
  const LOGIN = '/api/auth/console/login';
  const SESSION = '/api/auth/console/session';
  const own = () => ({ origin: world.baseUrl, 'sec-fetch-site': 'same-origin' });
  const open = (email: string, password = PASSWORD): Promise<Answer> =>
    world.stranger.post(LOGIN, { email, password }, { headers: own() });
  const call = (method: string, cookie: string, headers: Record<string, string> = own()): Promise<Answer> =>
    world.stranger.call(method, SESSION, { headers: { ...headers, cookie } });
  const renew = (cookie: string): Promise<Answer> => call('POST', cookie);
  const cookieOf = ({ headers }: Answer): string => headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const started = async (): Promise<{ cookie: string; token: string; sid: string }> => {
    const answer = await open((await world.person()).email);
    const token = answer.body.access_token as string;
    return { cookie: cookieOf(answer), token, sid: (jwt.decode(token) as Json).sid as string };
  };
  const pass = (sid: string, seconds: number) =>
    world.sql(
      `UPDATE refresh_token SET used_at = used_at - make_interval(secs => $2) WHERE session_id = $1 AND used_at IS NOT NULL`,
      [sid, seconds],
    );

  it('gives the access token to the page, and the refresh token to a cookie that no script reads', async () => {
    const { email } = await world.person();
    const answer = await open(email);
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600 });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const [cookie = '', ...more] = answer.headers.getSetCookie();
    expect(more).toEqual([]);
    expect(cookie).toMatch(/^armature_session=console_[\w-]{43}; /);
    expect(cookie.split('; ').slice(1).sort()).toEqual([
      expect.stringMatching(/^Expires=/),
      'HttpOnly',
      'Max-Age=2592000',
      `Path=${SESSION}`,
      'SameSite=Strict',
    ]);
    expect((await profile(answer.body.access_token)).body.email).toBe(email);
    expect(await open(email, 'a guess')).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
  });

  it('is renewed with the cookie, which is replaced each time', async () => {
    const { cookie } = await started();
    const second = await renew(`other=1; ${cookie}; more=2`);
    expect(second).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 3600 } });
    expect(second.body.refresh_token).toBeUndefined();
    expect(cookieOf(second)).not.toBe(cookie);
    expect((await renew(cookieOf(second))).status).toBe(200);
    for (const none of ['', 'armature_session=', 'armature_session=console_unknown'])
      expect(await renew(none)).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED' } });
  });

  it('survives tabs that renew it at once: one gets the next cookie, and all get access', async () => {
    const { cookie } = await started();
    const answers = await Promise.all([1, 2, 3, 4].map(() => renew(cookie)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const { body } of answers) expect((await profile(body.access_token)).status).toBe(200);
    const replaced = answers.filter(({ headers }) => headers.getSetCookie().length > 0);
    expect(replaced).toHaveLength(1);
    expect((await renew(cookieOf(replaced[0] as Answer))).status).toBe(200);
  });

  it('accepts a replaced cookie for 10 seconds, and ends the whole family after', async () => {
    const { cookie, token, sid } = await started();
    const next = cookieOf(await renew(cookie));
    await pass(sid, 8);
    const late = await renew(cookie);
    expect([late.status, late.headers.getSetCookie()]).toEqual([200, []]);
    await pass(sid, 2);
    expect((await renew(cookie)).status).toBe(401);
    expect((await renew(next)).status).toBe(401);
    for (const each of [token, late.body.access_token as string]) expect((await profile(each)).status).toBe(401);
  });

  it('ends when it is signed out: the cookie is cleared, and its tokens are refused, on open sockets too', async () => {
    const { cookie, token } = await started();
    const socket = await openSocket(bearing(token));
    const answer = await call('DELETE', cookie);
    expect(answer.status).toBe(204);
    expect(answer.headers.getSetCookie()).toEqual([
      `armature_session=; Path=${SESSION}; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Strict`,
    ]);
    expect((await profile(token)).status).toBe(401);
    expect(await within(1000, socket.closed)).toBe(4403);
    expect((await renew(cookie)).status).toBe(401);
    expect((await call('DELETE', cookie)).status).toBe(204);
    expect((await call('DELETE', '')).status).toBe(204);
  });

  it('has refresh tokens that the other calls do not accept, and does not accept theirs', async () => {
    const { cookie } = await started();
    expect((await refresh(cookie.replace('armature_session=', ''))).status).toBe(401);
    expect((await renew(cookie)).status).toBe(200);
    const { refresh_token } = await signedIn();
    expect((await renew(`armature_session=${refresh_token as string}`)).status).toBe(401);
    expect((await refresh(refresh_token)).status).toBe(200);
  });

  it.each<[string, () => Record<string, string>]>([
    ['another origin', () => ({ origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' })],
    ['another port', () => ({ origin: 'http://127.0.0.1:1' })],
    ['another scheme', () => ({ origin: world.baseUrl.replace('http', 'https') })],
    ['no origin that is known', () => ({ origin: 'null' })],
    ['the same site', () => ({ origin: world.baseUrl, 'sec-fetch-site': 'same-site' })],
    ['another site', () => ({ 'sec-fetch-site': 'cross-site' })],
    ['an address bar', () => ({ 'sec-fetch-site': 'none' })],
    ['neither header', () => ({})],
  ])('refuses %s before it reads anything', async (_, headers) => {
    const { cookie } = await started();
    const refused = { status: 403, body: { code: 'CROSS_SITE', remedy: expect.any(String) } };
    expect(await world.stranger.post(LOGIN, '{', { headers: headers() })).toMatchObject(refused);
    for (const method of ['POST', 'DELETE']) {
      const answer = await call(method, cookie, headers());
      expect(answer).toMatchObject(refused);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    expect((await world.admin.post(SESSION, undefined, { headers: { ...headers(), cookie } })).status).toBe(403);
    expect((await renew(cookie)).status).toBe(200);
  });

  it('accepts either header alone', async () => {
    const { cookie } = await started();
    const next = await call('POST', cookie, { origin: world.baseUrl });
    expect(next.status).toBe(200);
    expect((await call('POST', cookieOf(next), { 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });
});

describe('with limits on', () => {
  let limited: World;
  beforeAll(
    async () =>
      (limited = await World.start({ RATE_LIMIT: 'on', LIMIT_SIGN_IN_FAILURES: '3', LIMIT_REQUESTS_PER_MINUTE: '60' })),
  );
  afterAll(() => limited.stop());

  it('too many failed sign-ins answer when to try again, also with the right password', async () => {
    const attempt = (password: string) =>
      limited.stranger.post('/api/auth/login', { email: limited.admin.email, password });
    for (let i = 0; i < 3; i++) expect((await attempt('guess')).status).toBe(401);
    const answer = await attempt(PASSWORD);
    expect(answer).toMatchObject({ status: 429, body: { code: 'TOO_MANY_ATTEMPTS' } });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    const other = await limited.stranger.post('/api/auth/login', { email: 'other@example.org', password: 'x' });
    expect(other.status).toBe(401);
    const inBrowser = await limited.stranger.post(
      '/api/auth/console/login',
      { email: limited.admin.email, password: PASSWORD },
      { headers: { origin: limited.baseUrl } },
    );
    expect(inBrowser).toMatchObject({ status: 429, body: { code: 'TOO_MANY_ATTEMPTS' } });
  });

  it('guessing tokens is limited by address', async () => {
    const guesser = new Person(limited.baseUrl, 'a.b.c');
    const statuses = new Set<number>();
    for (let i = 0; i < 70; i++) statuses.add((await guesser.get('/api/identity/users/profile')).status);
    expect(statuses).toEqual(new Set([401, 429]));
    expect((await limited.admin.get('/api/identity/users/profile')).status).toBe(200);
  });
});

describe('with a key pair', () => {
  it('tokens are signed with ES256, those of the previous secret hold, and the public key signs nothing', async () => {
    const { generateKeyPairSync } = await import('node:crypto');
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    const paired = await World.start({ JWT_PRIVATE_KEY: pem.replaceAll('\n', '\\n'), JWT_PREVIOUS_KEYS: SECRET });
    const { header, payload } = jwt.decode(paired.admin.token ?? '', { complete: true }) as Json;
    expect(header.alg).toBe('ES256');
    expect((await paired.admin.get('/api/identity/users/profile')).status).toBe(200);
    const old = jwt.sign(payload, SECRET, { header: { alg: 'HS256', kid: claimsKid() } });
    expect((await new Person(paired.baseUrl, old).get('/api/identity/users/profile')).status).toBe(200);
    const publicPem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
    const { createHmac } = await import('node:crypto');
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ alg: 'HS256', kid: header.kid })}.${part(payload)}`;
    const confused = `${text}.${createHmac('sha256', publicPem).update(text).digest('base64url')}`;
    expect((await new Person(paired.baseUrl, confused).get('/api/identity/users/profile')).status).toBe(401);
    await paired.stop();
  });

  const claimsKid = (): string => (jwt.decode(world.admin.token ?? '', { complete: true }) as Json).header.kid;
});
