import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import { type Browser, chromium, type Page } from 'playwright-core';
import { UnsubscribeLinksService } from '../src/events/notifications/mail/unsubscribe-links.service.js';
import { MailServer } from './support/mail-server.js';
import { type Answer, type Json, Person } from './support/person.js';
import { requires } from './support/requirements.js';
import { PASSWORD } from './support/settings.js';
import { until } from './support/until.js';
import { World } from './support/world.js';

const ORGS = '/api/identity/orgs';
const PROFILE = '/api/identity/users/profile';
const OWN = 'a password of my own';
const CONFIRM = /(\/api\/auth\/invitations\/[\w-]{43}\/confirm)/;
const RESET = /\/api\/auth\/password\/reset\/([\w-]{43})/;
const INVITATION = /(\/api\/auth\/invitations\/[\w-]{43}\?proof=[\w-]{43})/;

const mailServer = new MailServer();
let world: World;
/** Two organizations whose admins know nothing of one another. */
let mallory: Person & { organization: string };
let bob: Person & { organization: string };

beforeAll(async () => {
  world = await World.start(await mailServer.start());
  [mallory, bob] = [await world.outsider(), await world.outsider()];
});
afterAll(async () => {
  await world.stop();
  await mailServer.stop();
});

type Admin = Person & { organization: string };
const address = (): string => `${randomUUID()}@example.org`;
const refusal = (status: number, code: string) => ({ status, body: { status, code } });
const add = (admin: Admin, body: object): Promise<Answer> =>
  admin.post(`${ORGS}/${admin.organization}/users`, { role: 'member', ...body });
const pathOf = (url: string): string => new URL(url).pathname;
const login = (email: string, password: string): Promise<Answer> =>
  world.stranger.post('/api/auth/login', { email, password });
const organizationsOf = async (person: Person): Promise<string[]> =>
  (await person.get(PROFILE)).body.organizations.map((each: Json) => each.id);
const eventOf = async (acted_upon: string, action: string): Promise<Json> =>
  (await world.sql<Json>('SELECT metadata FROM event WHERE acted_upon = $1 AND action = $2', [acted_upon, action]))[0]
    ?.metadata;

/** An account whose password mallory chose. */
const planted = async (): Promise<{ email: string; member: Json; person: Person }> => {
  const email = address();
  const added = await add(mallory, { email, password: PASSWORD });
  expect(added).toMatchObject({ status: 201, body: { unconfirmed: true, account: 'unconfirmed' } });
  return { email, member: added.body, person: await world.signIn(email, PASSWORD) };
};

describe('an account made beforehand with a password that an admin knows', () => {
  it('says so to the admin, counts in that organization, and gets no rights by an invitation elsewhere', async () => {
    const { email, member, person } = await planted();
    expect(member.confirmation).toContain('An email was sent');
    expect(await eventOf(member.id, 'added')).toMatchObject({ account: 'unconfirmed' });
    expect(await organizationsOf(person)).toEqual([mallory.organization]);

    const invited = await add(bob, { email, role: 'admin' });
    expect(invited).toMatchObject({
      status: 201,
      body: { account: 'unconfirmed', unconfirmed: true, active: false, invitation_url: expect.any(String) },
    });
    expect(invited.body.id).not.toBe(person.id);
    expect(await eventOf(invited.body.id, 'invited')).toMatchObject({ email, account: 'unconfirmed' });
    expect(await person.post(pathOf(invited.body.invitation_url))).toMatchObject(refusal(409, 'ACCOUNT_UNCONFIRMED'));
    expect(await organizationsOf(person)).toEqual([mallory.organization]);
    expect((await person.get(`${ORGS}/${bob.organization}`)).status).toBe(404);
  });

  it('is not confirmed by changing the password, which the user who chose it can do as well', async () => {
    const { email, person } = await planted();
    const changed = await person.put('/api/identity/users/password', { current_password: PASSWORD, password: OWN });
    expect(changed.status).toBe(200);
    const { body } = await add(bob, { email });
    expect(await person.post(pathOf(body.invitation_url))).toMatchObject(refusal(409, 'ACCOUNT_UNCONFIRMED'));
  });

  it('is confirmed by the email, once, with another password, which ends what was signed in before', async () => {
    const { email, person } = await planted();
    const { body: token } = await person.post('/api/identity/tokens', { name: 'left behind', scopes: ['admin'] });
    const settings = '/api/identity/users/notifications';
    const wished = await person.put(settings, { categories: { deployment: { email: 'realtime' } } });
    expect(wished).toMatchObject({ status: 200, body: { email_enabled: true, email_blocked: 'unconfirmed' } });
    const path = await mailServer.to(email, CONFIRM);
    const confirm = (password: string): Promise<Answer> => world.stranger.post(path, { password });
    expect((await confirm(PASSWORD)).body.errors).toMatchObject([{ pointer: '/password' }]);
    const answers = await Promise.all([confirm(OWN), confirm(OWN)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410]);
    expect((await login(email, PASSWORD)).status).toBe(401);
    for (const left of [person, new Person(world.baseUrl, token.token as string)])
      expect((await left.get(PROFILE)).status).toBe(401);

    const owner = await world.signIn(email, OWN);
    expect((await owner.get(settings)).body).toEqual({ ...wished.body, email_blocked: null });
    const listed = await mallory.get(`${ORGS}/${mallory.organization}/users?search=${email}`);
    expect(listed.body.users).toMatchObject([{ id: owner.id, unconfirmed: false }]);
    const invited = await add(bob, { email });
    expect(invited.body).toMatchObject({ account: 'existing', unconfirmed: false });
    expect(await owner.post(pathOf(invited.body.invitation_url))).toMatchObject({
      status: 200,
      body: { id: owner.id, account: 'existing' },
    });
    expect(await organizationsOf(owner)).toHaveLength(2);
  });

  it('is confirmed by an email for a forgotten password as well', async () => {
    const { email } = await planted();
    await world.stranger.post('/api/auth/password/forgot', { email });
    const token = await mailServer.to(email, RESET);
    expect((await world.stranger.post('/api/auth/password/reset', { token, password: OWN })).status).toBe(200);
    const owner = await world.signIn(email, OWN);
    const { body } = await add(bob, { email });
    expect((await owner.post(pathOf(body.invitation_url))).status).toBe(200);
  });

  it('is not made an installation administrator', async () => {
    const { member } = await planted();
    const named = await world.admin.put(`/api/identity/users/${member.id}`, { installation_admin: true });
    expect(named).toMatchObject(refusal(409, 'ACCOUNT_UNCONFIRMED'));
    expect((await world.admin.get(`/api/identity/users/${member.id}`)).body.unconfirmed).toBe(true);
  });

  it('is added elsewhere at once only by the admin who chose its password', async () => {
    const email = address();
    const added = await world.admin.post(`${ORGS}/${world.organization}/users`, {
      email,
      role: 'member',
      password: PASSWORD,
    });
    expect(added.body.account).toBe('unconfirmed');
    const second = (await world.admin.post(ORGS, { name: randomUUID() })).body.id as string;
    const again = await world.admin.post(`${ORGS}/${second}/users`, { email, role: 'member' });
    expect(again).toMatchObject({ status: 201, body: { id: added.body.id, account: 'unconfirmed' } });

    const other = await world.person();
    await world.admin.put(`/api/identity/users/${other.id}`, { installation_admin: true });
    const third = (await other.post(ORGS, { name: randomUUID() })).body.id as string;
    const invited = await other.post(`${ORGS}/${third}/users`, { email, role: 'member' });
    expect(invited.body).toMatchObject({ account: 'unconfirmed', invitation_url: expect.any(String) });
  });

  it('is shown as unconfirmed to admins, and not to members', async () => {
    const { email } = await planted();
    const member = await world.person('member', mallory.organization).catch(() => null);
    expect(member).toBeNull();
    const path = `${ORGS}/${mallory.organization}/users?search=${email}`;
    expect((await mallory.get(path)).body.users[0].unconfirmed).toBe(true);
    const own = (await planted()).person;
    expect((await own.get(path)).body.users[0]).not.toHaveProperty('unconfirmed');
  });
});

describe('an address that has an account', () => {
  it('joins by accepting, signed in, and keeps its password', async () => {
    const [known, stranger] = [await world.person(), await world.person()];
    const invited = await add(bob, { email: known.email, password: 'ignored entirely' });
    expect(invited).toMatchObject({ status: 201, body: { account: 'existing', active: false, first_name: '' } });
    const path = pathOf(invited.body.invitation_url);
    expect((await known.get(`${ORGS}/${bob.organization}`)).status).toBe(404);
    expect(await stranger.post(path)).toMatchObject(refusal(403, 'OTHER_ADDRESS'));
    expect(await world.stranger.post(path, { password: OWN })).toMatchObject(refusal(409, 'ACCOUNT_EXISTS'));
    expect((await new Person(world.baseUrl, 'arm_pat_nothing').post(path)).status).toBe(401);
    expect((await world.stranger.post(path)).body.errors).toMatchObject([{ pointer: '/password' }]);
    const narrow = (await known.post('/api/identity/tokens', { name: 'narrow', scopes: ['write'] })).body.token;
    expect(await new Person(world.baseUrl, narrow as string).post(path)).toMatchObject(refusal(403, 'SCOPE_MISSING'));
    expect(await known.post(path)).toMatchObject({ status: 200, body: { id: known.id, account: 'existing' } });
    expect((await known.get(`${ORGS}/${bob.organization}`)).status).toBe(200);
    expect(await known.post(path)).toMatchObject(refusal(410, 'INVITATION_ACCEPTED'));
    expect((await login(known.email, PASSWORD)).status).toBe(200);
  });

  it('is added at once by an installation administrator, and by who administers every organization of it', async () => {
    const known = await world.person();
    expect((await add(bob, { email: known.email })).body).toHaveProperty('invitation_url');
    const here = await world.person('admin');
    const there = (await world.admin.post(ORGS, { name: randomUUID() })).body.id as string;
    expect((await world.admin.post(`${ORGS}/${there}/users`, { email: here.email, role: 'admin' })).body).toMatchObject(
      { id: here.id, account: 'existing' },
    );
    const added = await here.post(`${ORGS}/${there}/users`, { email: known.email, role: 'member' });
    expect(added).toMatchObject({ status: 201, body: { id: known.id, account: 'existing', active: true } });
  });

  it('that belongs to no organization is invited by all callers but installation administrators', async () => {
    const known = await world.person();
    await world.admin.delete(`${ORGS}/${world.organization}/users/${known.id}`);
    expect((await add(bob, { email: known.email })).body).toHaveProperty('invitation_url');
  });
});

describe('an invitation', () => {
  it('accepted by the URL that its sender was shown makes an unconfirmed account, by the email a confirmed one', async () => {
    const [byUrl, byMail] = [address(), address()];
    const shown = await add(mallory, { email: byUrl });
    expect(shown.body.account).toBe('new');
    const taken = await world.stranger.post(pathOf(shown.body.invitation_url), { password: PASSWORD });
    expect(taken).toMatchObject({ status: 201, body: { account: 'new', unconfirmed: true } });
    await add(mallory, { email: byMail });
    const path = await mailServer.to(byMail, INVITATION);
    expect(await world.stranger.post(path, { password: PASSWORD })).toMatchObject({
      status: 201,
      body: { account: 'new', unconfirmed: false },
    });
    expect(mailServer.all(byMail)).toHaveLength(1);
  });

  it('does not hold once its sender may no longer invite', async () => {
    for (const end of ['removed', 'demoted', 'deactivated']) {
      const email = address();
      const { body } = await add(mallory, { email, role: 'admin', password: PASSWORD });
      const sender = await world.signIn(email, PASSWORD);
      const invited = await sender.post(`${ORGS}/${mallory.organization}/users`, { email: address(), role: 'admin' });
      const path = `${ORGS}/${mallory.organization}/users/${body.id}`;
      if (end === 'removed') await mallory.delete(path);
      if (end === 'demoted') await mallory.put(path, { role: 'member' });
      if (end === 'deactivated') await world.admin.put(`/api/identity/users/${body.id}`, { deactivated: true });
      expect(await world.stranger.post(pathOf(invited.body.invitation_url), { password: OWN })).toMatchObject(
        refusal(410, 'INVITATION_WITHDRAWN'),
      );
    }
  });
});

describe('a password that is chosen', () => {
  it('is refused when it is common, repeats itself, or is made of the address or the name of the service', async () => {
    const email = `grace.hopper-${randomUUID()}@navy.example`;
    const path = `${ORGS}/${mallory.organization}/users`;
    for (const password of [
      'password1',
      'P@ssw0rd',
      'ＰＡＳＳＷＯＲＤ１',
      'qwertyuiop',
      'abababab',
      '        ',
      'Armature2026!',
      email,
      'Hopper-1906',
      'short',
      'x'.repeat(1001),
    ])
      expect({ password, ...(await mallory.post(path, { email, role: 'member', password })) }).toMatchObject({
        password,
        status: 400,
        body: { errors: [{ pointer: '/password' }], remedy: expect.any(String) },
      });
  });

  it('may have any characters, and is the same however they are composed', async () => {
    const email = address();
    const password = 'zoë 💚 Ångström 密码';
    await add(mallory, { email, password: password.normalize('NFD') });
    for (const form of ['NFC', 'NFD', 'NFKC'] as const)
      expect((await login(email, password.normalize(form))).status).toBe(200);
  });

  it('is judged alike wherever it is set', async () => {
    const { email, person } = await planted();
    const common = 'iloveyou1';
    const change = (password: string): Promise<Answer> =>
      person.put('/api/identity/users/password', { current_password: PASSWORD, password });
    expect((await change(common)).body.errors).toMatchObject([{ pointer: '/password' }]);
    expect((await change(email)).body.errors).toMatchObject([{ pointer: '/password' }]);
    const path = await mailServer.to(email, CONFIRM);
    expect((await world.stranger.post(path, { password: common })).status).toBe(400);
    expect((await world.stranger.post(path, { password: email })).status).toBe(400);
    const invited = await add(mallory, { email: address() });
    expect((await world.stranger.post(pathOf(invited.body.invitation_url), { password: common })).status).toBe(400);
  });
});

describe('the email of an invitation', () => {
  const jobs = (status: string) =>
    world.sql<{ id: string; delay: number }>(
      `SELECT id, extract(epoch FROM run_at - now())::float AS delay FROM job
        WHERE queue = 'organizations.invitation-mail' AND status = $1 AND (failures > 0 OR status = 'failed')`,
      [status],
    );
  const attemptsTo = (email: string): string[] =>
    mailServer.attempts
      .filter(({ to }) => to === email)
      .map(({ raw }) => /^Message-ID: (.*)\r$/im.exec(raw)?.[1] ?? '');
  const deliveryOf = async (email: string): Promise<Json> => {
    const { body } = await mallory.get(`${ORGS}/${mallory.organization}/invitations?search=${email}`);
    return body.invitations[0].delivery;
  };
  afterEach(() => {
    mailServer.refuse = () => undefined;
  });

  it('outlasts a mail server that refuses it for minutes', async () => {
    const email = address();
    mailServer.refuse = (to) => (to === email ? { code: 451, message: `later, as for bob@example.org` } : undefined);
    await add(mallory, { email });
    await until(async () => (await jobs('queued')).length === 1, 30_000);
    expect(await deliveryOf(email)).toEqual({
      status: 'deferred',
      reason: '451 later, as for [address]',
      at: expect.any(String),
    });
    const [{ id, delay }] = (await jobs('queued')) as [{ id: string; delay: number }];
    expect(delay).toBeGreaterThan(15);
    mailServer.refuse = () => undefined;
    await world.sql('UPDATE job SET run_at = now() WHERE id = $1', [id]);
    await until(() => mailServer.all(email).length === 1, 60_000);
    const ids = attemptsTo(email);
    expect(ids).toEqual([ids[0], ids[0]]);
    await until(async () => (await deliveryOf(email)).status === 'sent');
    expect(await deliveryOf(email)).toEqual({ status: 'sent', reason: null, at: expect.any(String) });
  }, 100_000);

  it('is tried once when it is refused for good', async () => {
    const email = address();
    mailServer.refuse = (to) => (to === email ? { code: 550 } : undefined);
    const [warn, error] = [jest.spyOn(Logger.prototype, 'warn'), jest.spyOn(Logger.prototype, 'error')];
    await add(mallory, { email });
    await until(async () => (await jobs('failed')).length === 1, 30_000);
    expect(attemptsTo(email)).toHaveLength(1);
    expect(await deliveryOf(email)).toMatchObject({ status: 'failed', reason: '550 refused' });
    const lines = warn.mock.calls.filter(([, text]) => String(text).startsWith('job failed'));
    expect(lines).toEqual([
      [expect.objectContaining({ code: 'MAIL_NOT_SENT' }), expect.stringContaining('the mail was not sent: ')],
    ]);
    expect(error).not.toHaveBeenCalled();
    for (const spy of [warn, error]) spy.mockRestore();
  }, 60_000);

  it('is not held up by a domain whose server is slow, nor is the one for a password', async () => {
    const [slow, waiting] = [address().replace('example.org', 'slow.example'), await world.person()];
    mailServer.refuse = (to) => (to.endsWith('@slow.example') ? 'hang' : undefined);
    for (let n = 0; n < 8; n++) await add(mallory, { email: `${n}-${slow}` });
    const hanging = (): number => mailServer.attempts.filter(({ to }) => to.endsWith(slow)).length;
    await until(() => hanging() >= 2);
    const email = address();
    await add(mallory, { email });
    await mailServer.to(email, INVITATION);
    await world.stranger.post('/api/auth/password/forgot', { email: waiting.email });
    await mailServer.to(waiting.email, /(password)/);
    expect(hanging()).toBeLessThanOrEqual(3);
    expect(mailServer.all(`0-${slow}`)).toEqual([]);
    await world.sql(`DELETE FROM job WHERE queue = 'organizations.invitation-mail' AND status = 'queued'`);
    mailServer.hangUp();
  }, 60_000);
});

/** Passes requests below `/armature` on to the server, as a proxy does. */
async function startProxy(target: string): Promise<{ url: string; stop: () => void }> {
  const proxy = createServer((incoming, outgoing) => {
    const path = incoming.url?.replace(/^\/armature/, '') ?? '';
    const options = { method: incoming.method, headers: incoming.headers };
    const passed = request(target + path, options, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(passed);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/armature`, stop: () => proxy.close() };
}

describe('a link of a mail', () => {
  const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
  const read = async (path: string, headers: Record<string, string> = BROWSER) => {
    const response = await fetch(world.baseUrl + path, { headers });
    const type = response.headers.get('content-type')?.split(';')[0];
    return { status: response.status, type, headers: response.headers, text: await response.text() };
  };
  const invitationTo = async (email: string): Promise<string> => {
    await add(mallory, { email });
    return mailServer.to(email, INVITATION);
  };
  const resetOf = async (email: string): Promise<string> => {
    await world.stranger.post('/api/auth/password/forgot', { email });
    return `/api/auth/password/reset/${await mailServer.to(email, RESET)}`;
  };
  const unsubscribeOf = async ({ id }: Person): Promise<string> =>
    new URL(await world.get(UnsubscribeLinksService).getUrl(id)).pathname;

  it('opens a page that a policy binds, that is not kept, and that changes nothing by being read', async () => {
    const [invited, known] = [address(), await world.person()];
    const account = await planted();
    const paths = [
      await invitationTo(invited),
      await mailServer.to(account.email, CONFIRM),
      await resetOf(known.email),
      await unsubscribeOf(known),
      '/api/notifications/page',
    ];
    for (const path of [...paths, ...paths]) {
      const { status, type, headers, text } = await read(path);
      expect({ path, status, type }).toEqual({ path, status: 200, type: 'text/html' });
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; .*base-uri 'none'; frame-ancestors 'none'$/,
      );
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(text).not.toMatch(/(src|href)="(https?:|\/)/);
    }
    expect(await read(paths[0] as string, {})).toMatchObject({ status: 200, type: 'application/json' });
    expect(await world.stranger.post(paths[0] as string, { password: OWN })).toMatchObject({ status: 201 });
    expect(await world.stranger.post(paths[1] as string, { password: OWN })).toMatchObject({ status: 200 });
    const token = paths[2]?.split('/').at(-1);
    expect(await world.stranger.post('/api/auth/password/reset', { token, password: OWN })).toMatchObject({
      status: 200,
    });

    for (const path of paths.slice(0, 3)) {
      expect(await read(path)).toMatchObject({
        status: 410,
        type: 'text/html',
        text: expect.stringMatching(/<h1>This link does not work<.*(was accepted|was already used)/s),
      });
      expect(await read(path, {})).toMatchObject({ status: 410, type: 'application/problem+json' });
    }
    await world.sql(`UPDATE invitation SET accepted_at = NULL, expires_at = now() WHERE email = $1`, [invited]);
    expect((await read(paths[0] as string)).text).toContain('The invitation has expired.');
    const unknown = await read('/api/auth/invitations/%3Cb%3E');
    expect(unknown).toMatchObject({ status: 404, type: 'text/html' });
    expect((await read('/api/notifications/unsubscribe/nothing')).status).toBe(404);
  });

  requires('CHROMIUM_BIN', 'in a browser below a path', (executablePath) => {
    let browser: Browser;
    let page: Page;
    let proxy: Awaited<ReturnType<typeof startProxy>>;
    const asked: string[] = [];
    const complaints: string[] = [];
    beforeAll(async () => {
      proxy = await startProxy(world.baseUrl);
      browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
      page = await browser.newPage({ viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
      page.on('request', (each) => void asked.push(each.url()));
      page.on('console', (each) => void complaints.push(each.text()));
      page.on('pageerror', (error) => void complaints.push(String(error)));
    }, 150_000);
    afterAll(async () => {
      await browser.close();
      proxy.stop();
    });

    const open = async (path: string): Promise<void> => {
      await page.goto(proxy.url + path);
      const [width, background] = await page.evaluate<[number, string]>(
        '[document.documentElement.scrollWidth, getComputedStyle(document.documentElement).colorScheme]',
      );
      expect([width, background]).toEqual([360, 'light dark']);
    };
    const sessionsOf = async ({ id }: Person): Promise<number> =>
      (await world.sql('SELECT FROM session WHERE user_id = $1 AND ended_at IS NULL', [id])).length;
    const said = async (text: string): Promise<void> => page.getByText(text).waitFor();

    it('accepts an invitation with a new account, by keys alone', async () => {
      const email = address();
      await open(await invitationTo(email));
      await page.getByLabel('New password').focus();
      await page.keyboard.type('password1');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').first().filter({ hasText: 'password' }).waitFor();
      await page.getByLabel('New password').fill(OWN);
      await page.keyboard.press('Tab');
      await page.keyboard.type('Grace');
      await page.keyboard.press('Enter');
      await said('You are a member of');
      expect((await world.signIn(email, OWN)).id).toBeTruthy();
    }, 60_000);

    it('accepts an invitation with an existing account, and leaves no session', async () => {
      const known = await world.person();
      await open(await invitationTo(known.email));
      await page.getByLabel('Password', { exact: true }).fill('wrong entirely');
      await page.getByRole('button', { name: 'Sign in and join' }).click();
      await page.getByRole('alert').nth(1).filter({ hasText: /./ }).waitFor();
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in and join' }).click();
      await said('You are a member of');
      expect(await organizationsOf(known)).toContain(mallory.organization);
      expect(await sessionsOf(known)).toBe(1);
    }, 60_000);

    it('confirms an account, and sets a password that was forgotten', async () => {
      const account = await planted();
      await open(await mailServer.to(account.email, CONFIRM));
      await page.getByLabel('New password').fill(OWN);
      await page.getByRole('button', { name: 'Confirm the account' }).click();
      await said('Your account is confirmed.');
      await open(await resetOf(account.email));
      await page.getByLabel('New password').fill(`${OWN}, again`);
      await page.getByRole('button', { name: 'Change the password' }).click();
      await said('Your password is changed');
      expect((await login(account.email, `${OWN}, again`)).status).toBe(200);
    }, 60_000);

    it('shows all notifications and the settings of mail to who signs in, and unsubscribes', async () => {
      const person = await world.person();
      await mallory.post(`${ORGS}/${mallory.organization}/users`, { email: person.email, role: 'member' });
      await open('/api/notifications/page#settings');
      await page.getByLabel('E-mail address').fill(person.email);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.keyboard.press('Enter');
      await said('unread');
      await page.getByLabel('design').selectOption('daily');
      await said('Saved: design, every day.');
      const emailOf = async () =>
        (await person.get('/api/identity/users/notifications')).body.categories.design.email as string;
      expect(await emailOf()).toBe('daily');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('Password').waitFor();
      await until(async () => (await sessionsOf(person)) === 1);
      await open(await unsubscribeOf(person));
      await page.getByRole('button', { name: 'Unsubscribe' }).click();
      await said('You get no more mail about events.');
      expect(await emailOf()).toBe('off');
    }, 60_000);

    it('asked this server only, and broke no policy', () => {
      expect(asked.length).toBeGreaterThan(10);
      expect(asked.filter((url) => !url.startsWith(proxy.url))).toEqual([]);
      expect(complaints.filter((text) => !/status of 40[019]/.test(text))).toEqual([]);
    });
  });
});

describe('without mail, an invitation', () => {
  let silent: World;
  beforeAll(async () => (silent = await World.start()));
  afterAll(() => silent.stop());

  it('makes an unconfirmed account by its URL, which is added nowhere at once and joins by the URL of another one', async () => {
    const email = address();
    const sender = await silent.outsider();
    const shown = await sender.post(`${ORGS}/${sender.organization}/users`, { email, role: 'member' });
    const taken = await silent.stranger.post(pathOf(shown.body.invitation_url), { password: PASSWORD });
    expect(taken).toMatchObject({ status: 201, body: { account: 'new', unconfirmed: true } });
    const guessed = await silent.admin.post(`${ORGS}/${silent.organization}/users`, {
      email: address(),
      role: 'member',
    });
    const path = `${pathOf(guessed.body.invitation_url)}?proof=${'a'.repeat(43)}`;
    expect((await silent.stranger.post(path, { password: PASSWORD })).body.unconfirmed).toBe(true);

    const person = await silent.signIn(email, PASSWORD);
    const added = await silent.admin.post(`${ORGS}/${silent.organization}/users`, { email, role: 'member' });
    expect(added.body).toMatchObject({ account: 'unconfirmed', active: false, invitation_url: expect.any(String) });
    expect(await organizationsOf(person)).toEqual([sender.organization]);
    const joined = await person.post(pathOf(added.body.invitation_url));
    expect(joined).toMatchObject({ status: 200, body: { account: 'existing' } });
    expect((await organizationsOf(person)).sort()).toEqual([sender.organization, silent.organization].sort());
  });

  it('does not let an account join whose password somebody else chose', async () => {
    const email = address();
    await silent.admin.post(`${ORGS}/${silent.organization}/users`, { email, role: 'member', password: PASSWORD });
    const person = await silent.signIn(email, PASSWORD);
    const outsider = await silent.outsider();
    const invited = await outsider.post(`${ORGS}/${outsider.organization}/users`, { email, role: 'member' });
    expect(await person.post(pathOf(invited.body.invitation_url))).toMatchObject(refusal(409, 'ACCOUNT_UNCONFIRMED'));
  });
});
