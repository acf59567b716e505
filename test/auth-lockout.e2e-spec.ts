import { createApp } from '../src/app.setup.js';
import { DatabaseUrl } from '../src/core/database/database-url.js';
import { Env } from '../src/core/config/env.js';
import { type Answer, Person } from './support/person.js';
import { PASSWORD } from './support/settings.js';
import { World } from './support/world.js';

const MOST = 2;
let world: World;

beforeAll(async () => {
  const limits = {
    LIMIT_SIGN_IN_FAILURES: String(MOST),
    LIMIT_REQUESTS_PER_MINUTE: '5000',
    LIMIT_WRITES_PER_MINUTE: '5000',
  };
  world = await World.start({ RATE_LIMIT: 'on', TRUST_PROXY: 'true', ...limits });
});
afterAll(() => world.stop());

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const login = (email: string, password: string, address: string): Promise<Answer> =>
  world.stranger.post('/api/auth/login', { email, password }, from(address));
const limited = { status: 429, body: { code: 'TOO_MANY_ATTEMPTS' } };
/** Failures from so many networks that the account is limited everywhere but where it is known. */
const attack = async (email: string, net: number): Promise<void> => {
  for (let i = 0; i < MOST * 10; i++) expect((await login(email, 'a guess', `10.${net}.${i}.1`)).status).toBe(401);
};

describe('someone who guesses the password of an account', () => {
  it('from many addresses is slowed, and the owner signs in from where they did before, and stays signed in', async () => {
    const { email } = await world.person();
    const { body: session } = await login(email, PASSWORD, '192.0.2.10');
    await attack(email, 1);
    expect(await login(email, PASSWORD, '10.1.200.1')).toMatchObject(limited);
    expect((await login(email, PASSWORD, '192.0.2.10')).status).toBe(200);
    expect((await world.stranger.post('/api/auth/refresh', { refresh_token: session.refresh_token })).status).toBe(200);
  });

  it('learns nothing of whether there is one', async () => {
    const unknown = 'nobody-at-all@example.org';
    await attack(unknown, 2);
    const answer = await login(unknown, PASSWORD, '10.2.200.1');
    expect(answer).toMatchObject(limited);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('from one network is refused after a few, and does not use up what other networks have', async () => {
    const { email } = await world.person();
    for (let i = 0; i < MOST; i++) expect((await login(email, 'a guess', '198.51.100.1')).status).toBe(401);
    for (let i = 0; i < MOST * 12; i++) expect(await login(email, PASSWORD, '198.51.100.1')).toMatchObject(limited);
    expect((await login(email, PASSWORD, '198.51.100.2')).status).toBe(200);
  });

  it('from one host with many IPv6 addresses is one network', async () => {
    const { email } = await world.person();
    const guesses = Array.from({ length: MOST }, (_, i) => login(email, 'a guess', `2001:db8:0:7::${i + 1}`));
    for (const { status } of await Promise.all(guesses)) expect(status).toBe(401);
    expect(await login(email, PASSWORD, '2001:db8:0:7:ffff::1')).toMatchObject(limited);
    expect((await login(email, PASSWORD, '2001:db8:0:8::1')).status).toBe(200);
    expect((await login(email, 'a guess', '::ffff:198.51.100.9')).status).toBe(401);
  });

  it('is not let in again by a restart', async () => {
    const { email } = await world.person();
    await attack(email, 3);
    const second = await createApp(world.get(Env as never), world.get(DatabaseUrl).href);
    await second.listen(0, '127.0.0.1');
    const stranger = new Person((await second.getUrl()).replace('[::1]', '127.0.0.1'), null);
    const again = await stranger.post('/api/auth/login', { email, password: 'a guess' }, from('10.3.200.1'));
    expect(again).toMatchObject(limited);
    await second.close();
  });

  it('for many accounts from one network is slowed, too', async () => {
    const answers: number[] = [];
    for (let i = 0; i < MOST * 10 + 1; i++)
      answers.push((await login(`spray-${i}@example.org`, 'a guess', '203.0.113.5')).status);
    expect(answers.at(-1)).toBe(429);
    const { email } = await world.person();
    expect((await login(email, PASSWORD, '203.0.113.6')).status).toBe(200);
  });

  it('leaves no address behind in the database', async () => {
    await login('someone@example.org', 'a guess', '203.0.113.77');
    const rows = JSON.stringify(await world.sql('SELECT key::text FROM failed_attempt'));
    expect(rows).not.toContain(Buffer.from('203.0.113.77').toString('hex'));
  });
});

describe('a flood of sign-ins', () => {
  it('is refused beyond what the server checks at once, and others are answered in the meantime', async () => {
    const rest = await World.start();
    const begin = Date.now();
    const flood = Promise.all(
      Array.from({ length: 300 }, (_, i) =>
        rest.stranger.post('/api/auth/login', { email: `flood-${i}@example.org`, password: 'a guess' }),
      ),
    );
    const beside = await rest.admin.get('/api/identity/users/profile');
    const waited = Date.now() - begin;
    const answers = await flood;
    const count = (status: number): number => answers.filter((answer) => answer.status === status).length;
    expect(beside.status).toBe(200);
    expect(waited).toBeLessThan(3_000);
    expect(count(401) + count(429)).toBe(300);
    expect(count(429)).toBeGreaterThan(0);
    expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toBe('2');
    expect((await rest.stranger.post('/api/auth/login', { email: rest.admin.email, password: PASSWORD })).status).toBe(
      200,
    );
    await rest.stop();
  });
});
