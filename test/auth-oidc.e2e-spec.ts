import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateKeyPair, UnsecuredJWT } from 'jose';
import { SessionsService } from '../src/auth/sessions.service.js';
import { Actor } from '../src/core/access/actor.js';
import { runAsSystem } from '../src/core/database/row-security.js';
import { UnitOfWork } from '../src/core/database/unit-of-work.js';
import { EventBus } from '../src/core/events/event-bus.js';
import { INSTALLATION_CHAIN } from '../src/events/audit/audit.entity.js';
import { UserUpdated } from '../src/organizations/users/user.events.js';
import { UsersStore } from '../src/organizations/users/users.store.js';
import { BROWSER_CLIENT, CLIENT_SECRET, Issuer, seconds } from './support/issuer.js';
import { MailServer } from './support/mail-server.js';
import { openSocket, within } from './support/open-socket.js';
import { type Answer, type Json, Person } from './support/person.js';
import { PASSWORD } from './support/settings.js';
import { until } from './support/until.js';
import { World } from './support/world.js';

const AUDIENCE = 'https://armature.example.org';
const PROFILE = '/api/identity/users/profile';
const ORGS = '/api/identity/orgs';

const mailServer = new MailServer();
let issuer: Issuer;
let world: World;

beforeAll(async () => {
  jest.spyOn(console, 'info').mockImplementation(() => undefined);
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  issuer = await Issuer.start(AUDIENCE);
  const mail = await mailServer.start();
  const client = { OIDC_CLIENT_ID: BROWSER_CLIENT, OIDC_CLIENT_SECRET: CLIENT_SECRET };
  world = await World.start({ OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: AUDIENCE, ...client, ...mail });
  issuer.redirectUris = [`${world.baseUrl}/api/auth/console/oidc/callback`];
});
afterAll(async () => {
  await world.stop();
  await issuer.stop();
  await mailServer.stop();
});

const bearing = (token: string): Person => new Person(world.baseUrl, token);
const profile = (token: string): Promise<Answer> => bearing(token).get(PROFILE);
const address = (): string => `${randomUUID()}@issued.example`;
const subject = (): string => `subject-${randomUUID()}`;

/** Someone whom the issuer knows, with a verified address. */
const issued = async (claims: object = {}): Promise<Person> => {
  const email = address();
  const token = await issuer.token(subject(), { email, email_verified: true, ...claims });
  const { body } = await profile(token);
  return new Person(world.baseUrl, token, body.id as string, email);
};

describe('a token of the issuer', () => {
  it('stands for a user who is made at first sight, over REST, GraphQL and sockets', async () => {
    const [sub, email] = [subject(), address()];
    const token = await issuer.token(sub, {
      email: email.toUpperCase(),
      email_verified: true,
      given_name: 'Ada',
      family_name: 'Lovelace',
    });
    const seen = await profile(token);
    expect(seen).toMatchObject({
      status: 200,
      body: { email, first_name: 'Ada', last_name: 'Lovelace', installation_admin: false, organizations: [] },
    });
    expect((await bearing(token).graphql('{ me { id } }')).body.data.me.id).toBe(seen.body.id);
    (await openSocket(bearing(token))).close();
    expect((await profile(await issuer.token(sub))).body.id).toBe(seen.body.id);
    const published = await world.sql(`SELECT category, action FROM event WHERE acted_upon = $1`, [seen.body.id]);
    expect(published).toEqual([{ category: 'user', action: 'created' }]);
  });

  it('makes one user when several requests bring it first', async () => {
    const token = await issuer.token(subject(), { email: address(), email_verified: true });
    const answers = await Promise.all(Array.from({ length: 6 }, () => profile(token)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.id as string)).size).toBe(1);
  });

  it('sees no organization until its user is added to one', async () => {
    const person = await issued();
    expect((await person.get(ORGS)).body.total_count).toBe(0);
    expect((await person.get(`${ORGS}/${world.organization}`)).status).toBe(404);
    const added = await world.admin.post(`${ORGS}/${world.organization}/users`, {
      email: person.email,
      role: 'member',
    });
    expect(added).toMatchObject({ status: 201, body: { id: person.id } });
    expect((await person.get(`${ORGS}/${world.organization}`)).status).toBe(200);
  });

  it('takes up what its verified address was invited to', async () => {
    const email = address();
    const invited = (await world.admin.post(`${ORGS}/${world.organization}/users`, { email, role: 'admin' })).body;
    const token = await issuer.token(subject(), { email, email_verified: true });
    expect((await profile(token)).body.organizations).toMatchObject([{ id: world.organization, role: 'admin' }]);
    const late = await world.stranger.post(new URL(invited.invitation_url).pathname, { password: PASSWORD });
    expect(late).toMatchObject({ status: 410, body: { code: 'INVITATION_ACCEPTED' } });
  });

  it('has no password, and gets none by mail', async () => {
    const person = await issued();
    expect(
      await person.put('/api/identity/users/password', { current_password: 'x', password: PASSWORD }),
    ).toMatchObject({ status: 409, body: { code: 'NO_PASSWORD' } });
    expect((await world.stranger.post('/api/auth/login', { email: person.email, password: 'none' })).status).toBe(401);
  });

  it('ends on open sockets and streams when it expires, and not seconds later', async () => {
    const [sub, email] = [subject(), address()];
    const known = await profile(await issuer.token(sub, { email, email_verified: true }));
    await world.admin.post(`${ORGS}/${world.organization}/users`, { email, role: 'member' });
    // Clocks may differ by 60 seconds.
    const exp = seconds() - 60 + 4;
    const person = new Person(world.baseUrl, await issuer.forge({ sub, exp }), known.body.id as string, email);
    const tokens = await world.admin.post('/api/identity/tokens', {
      ...{ name: randomUUID(), scopes: ['read'], expires_at: new Date((exp + 60) * 1000).toISOString() },
    });
    const own = new Person(world.baseUrl, tokens.body.token as string);
    const sockets = [await openSocket(person), await openSocket(own)];
    const stream = await fetch(`${world.baseUrl}/api/events/stream?orgID=${world.organization}`, {
      headers: { authorization: `Bearer ${person.token}` },
    });
    expect(stream.status).toBe(200);
    const read = stream.text().then(() => Date.now());
    const ends = await Promise.all(sockets.map(async ({ closed }) => [await within(8000, closed), Date.now()]));
    for (const at of [...ends.map(([code, when]) => (expect(code).toBe(4403), when as number)), await read])
      expect(Math.abs(at - (exp + 60) * 1000)).toBeLessThan(1500);
    expect((await person.get(PROFILE)).status).toBe(401);
  }, 30_000);

  it('ends at once when its user is deactivated, on open sockets too', async () => {
    const person = await issued();
    const socket = await openSocket(person);
    await world.admin.put(`/api/identity/users/${person.id}`, { deactivated: true });
    expect((await person.get(PROFILE)).status).toBe(401);
    expect(await within(1000, socket.closed)).toBe(4403);
  });
});

describe('a token of the issuer that is refused', () => {
  it.each([
    ['another audience', { aud: 'another' }, {}, 'aud'],
    ['its end', { exp: seconds() - 120 }, {}, 'exp'],
    ['its beginning', { nbf: seconds() + 600 }, {}, 'nbf'],
    ['being from the future', { iat: seconds() + 600 }, {}, 'iat'],
    ['its type', {}, { typ: 'logout+jwt' }, 'no key'],
  ])('says that it is for %s, without values, and what to do', async (_, claims, header, named) => {
    const token = await issuer.forge({ sub: subject(), ...claims }, { header });
    const { status, headers, body } = await profile(token);
    expect(status).toBe(401);
    const challenge = headers.get('www-authenticate') ?? '';
    expect(challenge).toMatch(/^Bearer error="invalid_token", error_description="[^"]+"$/);
    expect(challenge).toContain(named);
    expect(challenge).not.toMatch(/another|armature\.example/);
    expect(body.remedy).not.toContain('/api/auth/login');
  });
});

describe('an address in a token of the issuer', () => {
  it('takes over no account that has it', async () => {
    const known = await world.person('admin');
    const token = await issuer.token(subject(), { email: known.email, email_verified: true });
    const seen = (await profile(token)).body;
    expect(seen.id).not.toBe(known.id);
    expect(seen.email).toMatch(/^[0-9a-f]{16}@external\.invalid$/);
    expect(seen.organizations).toEqual([]);
    expect((await known.get(PROFILE)).body).toMatchObject({ id: known.id, email: known.email });
  });

  it('counts for nothing unless the issuer has verified it', async () => {
    for (const claims of [{}, { email_verified: false }, { email_verified: 'false' }]) {
      const email = address();
      await world.admin.post(`${ORGS}/${world.organization}/users`, { email, role: 'admin' });
      const seen = (await profile(await issuer.token(subject(), { email, ...claims }))).body;
      expect(seen).toMatchObject({ email: expect.stringContaining('@external.invalid'), organizations: [] });
    }
    for (const email of ['nobody', 'x@service.invalid'])
      expect((await profile(await issuer.token(subject(), { email, email_verified: true }))).body.email).toContain(
        '@external.invalid',
      );
  });
});

describe('a user whose address the issuer has not verified', () => {
  const unverified = async (claims: object = {}): Promise<Person & { sub: string }> => {
    const sub = subject();
    const token = await issuer.token(sub, claims);
    const { body } = await profile(token);
    return Object.assign(new Person(world.baseUrl, token, body.id as string, body.email as string), { sub });
  };
  const users = (): string => `${ORGS}/${world.organization}/users`;

  it('is added to organizations, teams and workspaces by id', async () => {
    const person = await unverified({ email: address() });
    const fields = { user_id: person.id, role: 'member' };
    const admin = await world.person('admin');
    expect(await (await world.person('member')).post(users(), fields)).toMatchObject({ status: 403 });
    expect(await admin.post(users(), fields)).toMatchObject({ status: 201, body: { id: person.id, role: 'member' } });
    expect(await admin.post(users(), fields)).toMatchObject({ status: 409, body: { code: 'ALREADY_MEMBER' } });
    expect((await person.get(`${ORGS}/${world.organization}`)).status).toBe(200);
    const team = (await admin.post(`${ORGS}/${world.organization}/teams`, { name: randomUUID() })).body;
    const added = await admin.post(`${ORGS}/${world.organization}/teams/${team.id}/users/${person.id}`);
    expect([200, 201]).toContain(added.status);
    const workspace = (await admin.post('/api/workspaces', { name: 'w', organization_id: world.organization })).body;
    const member = await admin.put(`/api/workspaces/${workspace.id}/members/${person.id}`, { role: 'viewer' });
    expect(member.status).toBe(200);
    expect((await person.get(`/api/workspaces/${workspace.id}`)).status).toBe(200);
  });

  it('is the only one who is added so: an id says nothing about other accounts', async () => {
    const verified = await issued();
    const other = await world.outsider();
    const unknown = await world.admin.post(users(), { user_id: randomUUID(), role: 'member' });
    for (const { id } of [verified, other]) {
      const answer = await world.admin.post(users(), { user_id: id, role: 'member' });
      expect(answer.status).toBe(404);
      expect(Object.keys(answer.body)).toEqual(Object.keys(unknown.body));
    }
    const { id } = await unverified();
    for (const body of [
      { role: 'member' },
      { user_id: id, email: address(), role: 'member' },
      { user_id: id, password: PASSWORD, role: 'member' },
    ])
      expect(await world.admin.post(users(), body)).toMatchObject({ status: 400 });
  });

  it('accepts an invitation with its URL, which nobody with another address does', async () => {
    const invited = (await world.admin.post(users(), { email: address(), role: 'member' })).body;
    const { pathname } = new URL(invited.invitation_url as string);
    expect(await (await issued()).post(pathname)).toMatchObject({ status: 403, body: { code: 'OTHER_ADDRESS' } });
    const person = await unverified();
    expect(await person.post(pathname)).toMatchObject({ status: 200 });
    expect((await person.get(`${ORGS}/${world.organization}`)).status).toBe(200);
    expect((await (await unverified()).post(pathname)).status).toBe(410);
  });

  it('gets the address that a later token has verified when it is free, with what that was invited to', async () => {
    const email = address();
    const person = await unverified({ email });
    await world.admin.post(users(), { email, role: 'member' });
    const later = await profile(await issuer.token(person.sub, { email: email.toUpperCase(), email_verified: true }));
    expect(later.body).toMatchObject({ id: person.id, email, organizations: [{ id: world.organization }] });
    const again = await profile(await issuer.token(person.sub, { email: address(), email_verified: true }));
    expect(again.body.email).toBe(email);
    const known = await world.person('member');
    const other = await unverified();
    const taken = await profile(await issuer.token(other.sub, { email: known.email, email_verified: true }));
    expect(taken.body).toMatchObject({ id: other.id, email: other.email });
  });

  it('has the address where the operator trusts the issuer for it', async () => {
    const trusting = await World.start({ OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: AUDIENCE, OIDC_TRUST_EMAIL: 'true' });
    try {
      const email = address();
      const token = await issuer.token(subject(), { email });
      expect((await new Person(trusting.baseUrl, token).get(PROFILE)).body).toMatchObject({ email });
    } finally {
      await trusting.stop();
    }
  });
});

describe('a user of the issuer with an account here', () => {
  const LINK = '/api/auth/link';
  const accountEvents = ({ id }: Person): Promise<{ action: string; user_id: string; metadata: Json }[]> =>
    world.sql(
      `SELECT action, user_id, metadata FROM event WHERE acted_upon = $1 AND category = 'user' ORDER BY sequence`,
      [id],
    );
  /** A confirmed account with a password, and a user of the issuer with its address, verified or not. */
  const both = async (
    claims: object = {},
    sub = subject(),
  ): Promise<{ account: Person; sub: string; issuedOnes: Person }> => {
    const account = await world.person('member');
    const token = await issuer.token(sub, { email: account.email, ...claims });
    const { body } = await profile(token);
    return { account, sub, issuedOnes: new Person(world.baseUrl, token, body.id as string, body.email as string) };
  };

  it.each([
    ['verified', { email_verified: true }],
    ['not verified', {}],
  ])('joins them with the password of the account, where its address is %s', async (_, claims) => {
    const { account, sub, issuedOnes } = await both(claims);
    expect(issuedOnes.id).not.toBe(account.id);
    const { body: own } = await issuedOnes.post('/api/identity/tokens', { name: 'x', scopes: ['read'] });
    const socket = await openSocket(issuedOnes);
    const linked = await issuedOnes.post(LINK, { password: PASSWORD });
    expect(linked).toMatchObject({
      status: 200,
      body: {
        ...{ id: account.id, email: account.email, organizations: [{ id: world.organization, role: 'member' }] },
        identity: { issuer: issuer.url, subject: sub },
      },
    });
    // The socket was opened as the account that is gone.
    expect(await within(2000, socket.closed)).toBe(4403);
    expect((await issuedOnes.get(PROFILE)).body.id).toBe(account.id);
    expect((await profile(await issuer.token(sub, claims))).body.id).toBe(account.id);
    expect((await bearing(own.token as string).get(PROFILE)).status).toBe(401);
    // Nothing of the account ends: its sessions, its password.
    expect((await account.get(PROFILE)).status).toBe(200);
    expect((await world.signIn(account.email, PASSWORD)).id).toBe(account.id);
    expect((await world.admin.get(`/api/identity/users/${issuedOnes.id}`)).status).toBe(404);

    const metadata = { email: account.email, issuer: issuer.url, subject: sub, deleted_user_id: issuedOnes.id };
    expect((await accountEvents(account)).at(-1)).toEqual({ action: 'linked', user_id: account.id, metadata });
    expect(await mailServer.to(account.email, /was linked to your account/)).toContain(issuer.url);
    const entries = `SELECT FROM audit_entry WHERE action = 'user.linked' AND resource_id = $1`;
    await until(async () => (await world.sql(entries, [account.id])).length === 1);
    expect(await issuedOnes.post(LINK, { password: PASSWORD })).toMatchObject({
      status: 409,
      body: { code: 'ALREADY_LINKED' },
    });
  });

  it('is unlinked by the owner of the account, who is told by mail and keeps the password', async () => {
    const { account, sub, issuedOnes } = await both();
    expect((await account.get(PROFILE)).body.identity).toBeNull();
    const unlink = (by: Person, password = PASSWORD, headers = {}): Promise<Answer> =>
      by.delete(LINK, { body: { password }, headers });
    expect(await unlink(account)).toMatchObject({ status: 409, body: { code: 'NOT_LINKED' } });
    await issuedOnes.post(LINK, { password: PASSWORD });
    const linked = await account.get(PROFILE);
    expect(linked.body.identity).toEqual({ issuer: issuer.url, subject: sub });
    expect((await account.put(PROFILE, linked.body)).status).toBe(200);
    const socket = await openSocket(issuedOnes);
    expect((await unlink(account, PASSWORD, { 'if-match': '"0"' })).status).toBe(412);
    // Somebody who has only a token, of the account or of the issuer, cannot end the link.
    for (const thief of [account, issuedOnes]) {
      expect(await thief.delete(LINK)).toMatchObject({ status: 400, body: { errors: [{ pointer: '/password' }] } });
      expect(await unlink(thief, 'another password')).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/password', detail: 'is wrong' }] },
      });
    }
    expect((await account.get(PROFILE)).body.identity).toEqual({ issuer: issuer.url, subject: sub });
    const unlinked = await unlink(account);
    expect(unlinked).toMatchObject({ status: 200, body: { id: account.id, identity: null } });
    expect(await within(2000, socket.closed)).toBe(4403);
    expect((await issuedOnes.get(PROFILE)).body.id).not.toBe(account.id);
    expect((await account.get(PROFILE)).status).toBe(200);
    expect((await world.signIn(account.email, PASSWORD)).id).toBe(account.id);
    const metadata = { email: account.email, issuer: issuer.url, subject: sub };
    expect((await accountEvents(account)).at(-1)).toEqual({ action: 'unlinked', user_id: account.id, metadata });
    await mailServer.to(account.email, /was unlinked from your account/);
    // An account that only the issuer signs in to would be lost.
    const only = await issued();
    expect(await unlink(only)).toMatchObject({ status: 409, body: { code: 'NO_PASSWORD' } });
    expect((await issuedOnes.post(LINK, { password: PASSWORD })).body.id).toBe(account.id);
  });

  it.each([
    ['of a usual length', subject()],
    ['that occurs by chance', 'e7'],
  ])('is erased with the account, where the subject is one %s', async (_, given) => {
    const { account, sub, issuedOnes } = await both({}, given);
    expect((await issuedOnes.post(LINK, { password: PASSWORD })).status).toBe(200);
    expect((await account.delete(LINK, { body: { password: PASSWORD } })).status).toBe(200);
    const ERASE = '/api/system/events/erase';
    expect((await account.post(ERASE, { user_id: issuedOnes.id })).status).toBe(403);
    expect(await world.admin.post(ERASE, { user_id: world.admin.id })).toMatchObject({
      status: 409,
      body: { code: 'OWN_DATA' },
    });
    const { status, body } = await world.admin.post(ERASE, { user_id: account.id });
    expect({ status, body }).toMatchObject({ status: 200, body: { user_id: account.id } });
    expect([body.events >= 2, body.audit_entries >= 2]).toEqual([true, true]);
    const events = await accountEvents(account);
    expect(events.filter(({ action }) => /linked/.test(action)).map(({ metadata }) => metadata)).toEqual(
      Array(2).fill(expect.objectContaining({ email: '[erased]', issuer: issuer.url, subject: '[erased]' })),
    );
    const told = await world.sql<{ details: string | null }>(
      `SELECT details FROM audit_entry WHERE chain = $2 AND resource_id = $1 AND action <> 'audit.personal_data_erased'`,
      [account.id, INSTALLATION_CHAIN],
    );
    expect(told.length).toBeGreaterThan(1);
    expect(told.map(({ details }) => details)).toEqual(told.map(() => null));
    const others = await world.sql(`SELECT details FROM audit_entry WHERE details LIKE $1`, [`%"${sub}"%`]);
    expect(others).toEqual([]);
    expect((await world.admin.get('/api/system/audit/verify')).body).toMatchObject({ valid: true });
  });

  it.each(['account', '7301944'])('leaves what contains its subject %s by chance as it is', async (given) => {
    const { account, issuedOnes } = await both({}, given);
    expect((await issuedOnes.post(LINK, { password: PASSWORD })).status).toBe(200);
    const { id, email } = await world.person('member');
    const [unit, events] = [world.get(UnitOfWork), world.get(EventBus)];
    const metadata = { [given]: 1, bytes: 7301944, kind: given };
    await runAsSystem('a test', async () => {
      const other = await world.get(UsersStore).findByEmail(email);
      if (!other) throw new Error('there is no account');
      await unit.run(() => events.publish(new UserUpdated(Actor.system('a test'), other, metadata)));
    });
    expect(await world.admin.post('/api/system/events/erase', { user_id: account.id })).toMatchObject({ status: 200 });
    const of = `SELECT description, metadata FROM event WHERE acted_upon = $1 AND action = $2`;
    expect(await world.sql(of, [account.id, 'linked'])).toMatchObject([{ metadata: { subject: '[erased]' } }]);
    expect(await world.sql(of, [id, 'updated'])).toEqual([
      {
        description: expect.stringMatching(/^The account .* was changed$/),
        metadata: expect.objectContaining(metadata),
      },
    ]);
  });

  it('loses the account with a password that the owner of the address sets, as whoever knew the one before', async () => {
    const { account, sub, issuedOnes } = await both();
    await issuedOnes.post(LINK, { password: PASSWORD });
    const socket = await openSocket(issuedOnes);
    // The current password shows that it is the owner or the thief, so a change keeps the link.
    const changed = `changed ${PASSWORD}`;
    await account.put('/api/identity/users/password', { current_password: PASSWORD, password: changed });
    expect((await issuedOnes.get(PROFILE)).body.id).toBe(account.id);
    await world.stranger.post('/api/auth/password/forgot', { email: account.email });
    const token = await mailServer.to(account.email, /\/api\/auth\/password\/reset\/([\w-]{43})/);
    const password = `new ${PASSWORD}`;
    expect((await world.stranger.post('/api/auth/password/reset', { token, password })).status).toBe(200);
    expect(await within(2000, socket.closed)).toBe(4403);
    expect((await issuedOnes.get(PROFILE)).body.id).not.toBe(account.id);
    expect((await profile(await issuer.token(sub, { email: account.email }))).body.organizations).toEqual([]);
    const owner = await world.signIn(account.email, password);
    expect((await owner.get(PROFILE)).body).toMatchObject({ id: account.id, identity: null });
    const actions = (await accountEvents(account)).map(({ action }) => action);
    expect(actions.slice(-2)).toEqual(['password_changed', 'unlinked']);
    await mailServer.to(account.email, /was unlinked from your account/);
    expect((await issuedOnes.post(LINK, { password: PASSWORD })).status).toBe(400);
  });

  it('does not learn whether there is an account, and joins none of others', async () => {
    const { account, issuedOnes } = await both();
    const wrong = await issuedOnes.post(LINK, { password: 'another password' });
    expect(wrong).toMatchObject({ status: 400, body: { errors: [{ pointer: '/password', detail: 'is wrong' }] } });
    const unknown = bearing(await issuer.token(subject(), { email: address() }));
    const unconfirmed = address();
    const fields = { email: unconfirmed, role: 'member', password: PASSWORD };
    await world.admin.post(`${ORGS}/${world.organization}/users`, fields);
    const planted = bearing(await issuer.token(subject(), { email: unconfirmed }));
    const deactivated = await both();
    await world.admin.put(`/api/identity/users/${deactivated.account.id}`, { deactivated: true });
    const linked = await both();
    await linked.issuedOnes.post(LINK, { password: PASSWORD });
    const second = bearing(await issuer.token(subject(), { email: linked.account.email }));
    const strip = ({ request_id: _, trace_id: __, ...body }: Json): Json => body;
    for (const person of [unknown, planted, deactivated.issuedOnes, second]) {
      const answer = await person.post(LINK, { password: PASSWORD });
      expect([answer.status, strip(answer.body)]).toEqual([400, strip(wrong.body)]);
    }
    expect((await profile(issuedOnes.token ?? '')).body.id).not.toBe(account.id);
  });

  it('is refused where the token is not of the issuer, says no address, or is of an account that is in use', async () => {
    const { account, issuedOnes } = await both();
    expect(await account.post(LINK, { password: PASSWORD })).toMatchObject({
      status: 409,
      body: { code: 'ISSUER_TOKEN_REQUIRED' },
    });
    expect((await world.stranger.post(LINK, { password: PASSWORD })).status).toBe(401);
    expect(await bearing(await issuer.token(subject())).post(LINK, { password: PASSWORD })).toMatchObject({
      status: 409,
      body: { code: 'NO_ADDRESS' },
    });
    await world.admin.post(`${ORGS}/${world.organization}/users`, { user_id: issuedOnes.id, role: 'member' });
    expect(await issuedOnes.post(LINK, { password: PASSWORD })).toMatchObject({
      status: 409,
      body: { code: 'IN_USE' },
    });
    expect((await issuedOnes.delete(`${ORGS}/${world.organization}/users/${issuedOnes.id}`)).status).toBe(200);
    expect((await issuedOnes.post(LINK, { password: PASSWORD })).body.id).toBe(account.id);
  });

  it('joins once when several calls ask, and is limited as signing in is', async () => {
    const { account, issuedOnes } = await both();
    const calls = await Promise.all(Array.from({ length: 4 }, () => issuedOnes.post(LINK, { password: PASSWORD })));
    expect(calls.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(calls.filter(({ status }) => status >= 500)).toEqual([]);
    expect((await issuedOnes.get(PROFILE)).body.id).toBe(account.id);

    const limits = { RATE_LIMIT: 'on', LIMIT_SIGN_IN_FAILURES: '3' };
    const limited = await World.start({ OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: AUDIENCE, ...limits });
    try {
      const person = await limited.person('member');
      const guesser = new Person(limited.baseUrl, await issuer.token(subject(), { email: person.email }));
      const statuses = [];
      for (let guess = 0; guess < 4; guess++)
        statuses.push((await guesser.post(LINK, { password: `guess number ${guess}` })).status);
      expect(statuses).toEqual([400, 400, 400, 429]);
    } finally {
      await limited.stop();
    }
  });
});

describe('the groups of a token', () => {
  it('may be a thousand ids, over REST and sockets', async () => {
    const groups = Array.from({ length: 1_000 }, () => randomUUID());
    const [sub, email] = [subject(), address()];
    await world.admin.post(`${ORGS}/${world.organization}/users`, { email, role: 'member' });
    await world.admin.post(`${ORGS}/${world.organization}/teams`, { name: groups.at(-1) });
    const token = await issuer.token(sub, { email, email_verified: true, groups });
    expect(token.length).toBeGreaterThan(48_000);
    const { status, body } = await profile(token);
    expect(status).toBe(200);
    expect(await teamsOf(new Person(world.baseUrl, token, body.id as string))).toEqual([groups.at(-1)]);
    (await openSocket(bearing(token))).close();
    const tooMany = await issuer.token(subject(), { groups: [...groups, 'one more'] });
    expect((await profile(tooMany)).status).toBe(401);
  });

  const teamsOf = async ({ id }: Person): Promise<string[]> =>
    (
      await world.sql<{ name: string }>(
        `SELECT t.name FROM team_member m JOIN team t ON t.id = m.team_id WHERE m.user_id = $1 ORDER BY t.name`,
        [id],
      )
    ).map(({ name }) => name);

  it('put its user into the teams called like them, where they are a member, and take them out again', async () => {
    const other = await world.outsider();
    const [name, extra] = [`Platform ${randomUUID()}`, `Extra ${randomUUID()}`];
    const team = (await world.admin.post(`${ORGS}/${world.organization}/teams`, { name })).body;
    const manual = (await world.admin.post(`${ORGS}/${world.organization}/teams`, { name: extra })).body;
    await other.post(`${ORGS}/${other.organization}/teams`, { name });
    const [sub, email] = [subject(), address()];
    await world.admin.post(`${ORGS}/${world.organization}/users`, { email, role: 'member' });
    const claims = { email, email_verified: true };
    const token = await issuer.token(sub, { ...claims, groups: [name.toUpperCase(), 'unknown'] });
    const person = new Person(world.baseUrl, token, (await profile(token)).body.id as string);
    expect(await teamsOf(person)).toEqual([name]);
    const published = await world.sql(
      `SELECT action, system_actor FROM event WHERE acted_upon = $1 AND action <> 'created'`,
      [team.id],
    );
    expect(published).toEqual([{ action: 'member_added', system_actor: 'groups of the issuer' }]);

    await world.admin.post(`${ORGS}/${world.organization}/teams/${manual.id}/users/${person.id}`);
    await profile(await issuer.token(sub, claims));
    expect(await teamsOf(person)).toEqual([extra, name]);
    await profile(await issuer.token(sub, { ...claims, groups: ['another'] }));
    expect(await teamsOf(person)).toEqual([extra]);
  });
});

describe('a token that says it is of the issuer', () => {
  const refused = async (token: string, detail: string): Promise<void> => {
    const answer = await profile(token);
    expect(answer).toMatchObject({ status: 401, body: { code: 'UNAUTHENTICATED', detail } });
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token"/);
    await expect(openSocket(bearing(token))).rejects.toThrow('4403');
  };
  const invalid = 'the token is not valid';
  const unkept = 'the token has claims that cannot be kept';

  it('and is signed with its key holds, so that what follows is refused for its own reason', async () => {
    expect((await profile(await issuer.forge())).status).toBe(200);
  });

  it('is refused when it is for others, of others, or unsigned', async () => {
    await refused(await issuer.forge({ aud: 'https://elsewhere.example.org' }), invalid);
    await refused(await issuer.forge({ aud: undefined }), invalid);
    await refused(
      new UnsecuredJWT({ iss: issuer.url, aud: AUDIENCE, sub: 'x', exp: seconds() + 60 }).encode(),
      invalid,
    );
    expect((await profile(await issuer.forge({ iss: 'https://other.example.org' }))).status).toBe(401);
    expect((await profile(await issuer.forge({ iss: `${issuer.url}/` }))).status).toBe(401);
  });

  it('is refused when it is signed with another key, or with its public key as a secret', async () => {
    const { privateKey } = await generateKeyPair('ES256');
    await refused(await issuer.forge({}, { key: privateKey }), invalid);
    const secret = new TextEncoder().encode(JSON.stringify(issuer.publicKey));
    await refused(await issuer.forge({}, { key: secret, header: { alg: 'HS256' } }), invalid);
  });

  it('is refused when it has expired or holds later, by more than a minute', async () => {
    await refused(await issuer.forge({ exp: seconds() - 90 }), 'the token has expired');
    await refused(await issuer.forge({ nbf: seconds() + 90 }), invalid);
    await refused(await issuer.forge({ exp: undefined }), invalid);
    expect((await profile(await issuer.forge({ exp: seconds() - 30 }))).status).toBe(200);
    expect((await profile(await issuer.forge({ nbf: seconds() + 30 }))).status).toBe(200);
  });

  it('is refused without a subject', async () => {
    await refused(await issuer.forge({ sub: undefined }), invalid);
    await refused(await issuer.forge({ sub: '' }), unkept);
    await refused(await issuer.forge({ sub: 'x'.repeat(256) }), unkept);
  });

  it('is refused for claims that no account can keep, and leaves no user behind', async () => {
    const users = async (): Promise<Json> => (await world.sql('SELECT count(*) FROM app_user'))[0];
    const before = await users();
    const verified = { email: address(), email_verified: true };
    for (const claims of [
      { sub: 'a\u0000b' },
      { sub: 'half \ud800 a pair' },
      { sub: ['a list'] as never },
      { ...verified, given_name: 'N\u0000L' },
      { ...verified, family_name: '\udfff' },
      { ...verified, name: 'x'.repeat(4_000) },
      { ...verified, email: 'a\u0000@example.org' },
      { ...verified, email: 7 },
      { ...verified, email_verified: 1 },
      { ...verified, groups: 'all of them' },
      { ...verified, groups: ['one', 5] },
      { ...verified, groups: ['with\u0000'] },
      { ...verified, groups: Array.from({ length: 2_000 }, () => 'g') },
    ])
      await refused(await issuer.forge({ sub: subject(), ...claims }), unkept);
    expect(await users()).toEqual(before);
  });

  it('is refused unread when it is longer than any header', async () => {
    for (const claims of [
      { groups: Array.from({ length: 10_000 }, (_, i) => `group ${i}`) },
      { name: 'x'.repeat(1_000_000) },
    ])
      await expect(openSocket(bearing(await issuer.forge({ sub: subject(), ...claims })))).rejects.toThrow(/4403|1009/);
  });

  it('and verifies the address of an account that another user made gets that account, without its password', async () => {
    const email = address();
    const added = await world.admin.post(`${ORGS}/${world.organization}/users`, {
      email,
      role: 'member',
      password: PASSWORD,
    });
    const planted = await world.signIn(email, PASSWORD);
    const sub = subject();
    const seen = await profile(await issuer.token(sub, { email, email_verified: true }));
    expect(seen.body).toMatchObject({ id: added.body.id, email, organizations: [{ id: world.organization }] });
    expect((await planted.get(PROFILE)).status).toBe(401);
    expect((await world.stranger.post('/api/auth/login', { email, password: PASSWORD })).status).toBe(401);
    expect((await world.admin.get(`/api/identity/users/${added.body.id}`)).body).toMatchObject({
      unconfirmed: false,
      issuer: issuer.url,
    });
  });
});

describe('the keys of the issuer', () => {
  it('are asked for again when they rotate, and not for every key that is made up', async () => {
    for (const algorithm of ['RS256', 'PS256', 'ES256'] as const) {
      await sleep(5_100);
      const old = await issuer.forge({ jti: randomUUID() });
      await issuer.rotate(algorithm);
      expect((await profile(await issuer.token(subject()))).status).toBe(200);
      if (algorithm === 'RS256') expect((await profile(old)).status).toBe(401);
    }
    const before = issuer.asked;
    const made = await Promise.all(
      Array.from({ length: 20 }, () => issuer.forge({}, { header: { kid: randomUUID() } })),
    );
    const answers = await Promise.all(made.map((token) => profile(token)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    expect(issuer.asked - before).toBeLessThanOrEqual(1);
  }, 60_000);

  it('that cannot be read are reported as a failure of the issuer, not of the token', async () => {
    const gone = await Issuer.start(AUDIENCE);
    const lonely = await World.start({ OIDC_ISSUER: gone.url, OIDC_AUDIENCE: AUDIENCE });
    const token = await gone.token(subject());
    await gone.stop();
    const answer: Json = await new Person(lonely.baseUrl, token).get(PROFILE);
    expect(answer).toMatchObject({ status: 502, body: { code: 'ISSUER_UNREACHABLE' } });
    expect((await lonely.admin.get(PROFILE)).status).toBe(200);
    await lonely.stop();
  });
});

describe('signing in to the console at the issuer', () => {
  const START = '/api/auth/console/oidc/start';
  const CALLBACK = '/api/auth/console/oidc/callback';

  /** Follows redirections as a browser does, with its cookies, until they leave for a path that it is not to open. */
  class Browser {
    readonly cookies = new Map<string, string>();

    async open(url: string, until: (url: string) => boolean): Promise<{ url: string; response: Response }> {
      const response = await fetch(url, {
        redirect: 'manual',
        headers: { cookie: [...this.cookies].map((pair) => pair.join('=')).join('; '), accept: 'application/json' },
      });
      for (const cookie of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        if (value) this.cookies.set(name, value);
        else this.cookies.delete(name);
      }
      const location = response.headers.get('location');
      const next = location === null ? null : new URL(location, url).toString();
      return next === null || until(next) ? { url: next ?? url, response } : this.open(next, until);
    }
  }
  const toCallback = (url: string): boolean => url.includes(CALLBACK);
  const never = (): boolean => false;
  const toConsole = (url: string): boolean => url.startsWith(world.baseUrl) && !url.includes('/api/');
  const start = (browser: Browser, destination = '/designs?x=1', until = toCallback) =>
    browser.open(`${world.baseUrl}${START}?return=${encodeURIComponent(destination)}`, until);
  const renew = async (browser: Browser): Promise<Answer> =>
    world.stranger.post('/api/auth/console/session', undefined, {
      headers: { origin: world.baseUrl, cookie: `armature_session=${browser.cookies.get('armature_session') ?? ''}` },
    });

  it('opens a session of the account that the tokens of the issuer act as, and goes on where it began', async () => {
    const [sub, email] = [subject(), address()];
    issuer.signIn(sub, { email, email_verified: true, given_name: 'Ada' });
    const browser = new Browser();
    const { url, response } = await start(browser, '/designs?x=1', toConsole);
    expect([response.status, url]).toEqual([303, `${world.baseUrl}/designs?x=1`]);
    const [cleared = '', session = ''] = response.headers.getSetCookie();
    expect(cleared).toContain('armature_sign_in=;');
    expect(session).toMatch(/^armature_session=.*; Path=\/api\/auth\/console\/session; .*HttpOnly; SameSite=Strict$/);
    const { status, body } = await renew(browser);
    expect(status).toBe(200);
    const seen = (await profile(body.access_token as string)).body;
    expect(seen).toMatchObject({ email, first_name: 'Ada' });
    expect((await profile(await issuer.token(sub))).body.id).toBe(seen.id);
    // Signed in again, it is the same account.
    const again = new Browser();
    await start(again, '/', toConsole);
    expect((await profile((await renew(again)).body.access_token as string)).body.id).toBe(seen.id);
    await world.admin.put(`/api/identity/users/${seen.id}`, { deactivated: true });
    expect((await start(new Browser(), '/', toConsole)).response.status).toBe(401);
  });

  it('ends with the link to the issuer, as every session of the account but the calling one', async () => {
    const account = await world.person('member');
    const sub = subject();
    const token = await issuer.token(sub, { email: account.email });
    expect((await bearing(token).post('/api/auth/link', { password: PASSWORD })).status).toBe(200);
    issuer.signIn(sub, { email: account.email });
    const browser = new Browser();
    await start(browser, '/', toConsole);
    const opened = (await renew(browser)).body.access_token as string;
    expect((await profile(opened)).body.id).toBe(account.id);
    const other = await world.signIn(account.email, PASSWORD);
    const linked = await runAsSystem('a test', () => world.get(UsersStore).findByEmail(account.email));
    if (!linked) throw new Error('there is no account');
    expect((await account.delete('/api/auth/link', { body: { password: PASSWORD } })).status).toBe(200);
    await until(async () => (await profile(opened)).status === 401);
    expect([await renew(browser), await other.get(PROFILE)].map(({ status }) => status)).toEqual([401, 401]);
    expect((await account.get(PROFILE)).status).toBe(200);
    // A sign-in that was under way opens none either.
    expect(await world.get(SessionsService).open(linked, 'console')).toBeNull();
    await start(browser, '/', toConsole);
    expect((await profile((await renew(browser)).body.access_token as string)).body.id).not.toBe(account.id);
  });

  it('asks with PKCE, a state and a nonce of their own, which a cookie for the callback alone binds to the browser', async () => {
    const response = await fetch(`${world.baseUrl}${START}`, { redirect: 'manual' });
    const asked = new URL(response.headers.get('location') ?? '');
    expect([response.status, asked.origin]).toEqual([303, issuer.url]);
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      response_type: 'code',
      client_id: BROWSER_CLIENT,
      redirect_uri: `${world.baseUrl}${CALLBACK}`,
      scope: 'openid email profile',
      state: expect.stringMatching(/^.{43}$/),
      nonce: expect.stringMatching(/^.{43}$/),
      code_challenge: expect.stringMatching(/^.{43}$/),
      code_challenge_method: 'S256',
    });
    const [cookie = ''] = response.headers.getSetCookie();
    expect(cookie).toMatch(
      /^armature_sign_in=[\w-]+; Max-Age=600; Path=\/api\/auth\/console\/oidc\/callback; Expires=.*; HttpOnly; SameSite=Lax$/,
    );
  });

  it('takes a code only in the browser that asked for it, once, and for the sign-in that it was given for', async () => {
    issuer.signIn(subject());
    const [one, other] = [new Browser(), new Browser()];
    const [given, foreign] = [await start(one), await start(other)];
    const refused = async (browser: Browser, url: string) => {
      const { response } = await browser.open(url, never);
      expect([response.status, response.headers.getSetCookie().join()]).toEqual([
        401,
        expect.not.stringContaining('armature_session=console'),
      ]);
    };
    await refused(new Browser(), given.url);
    await refused(other, given.url);
    const mixed = new Browser();
    const own = new URL((await start(mixed)).url);
    own.searchParams.set('code', new URL(foreign.url).searchParams.get('code') ?? '');
    await refused(mixed, own.toString());
    const fromOther = new Browser();
    const callback = new URL((await start(fromOther)).url);
    expect(callback.searchParams.get('iss')).toBe(issuer.url);
    callback.searchParams.set('iss', 'https://issuer.example');
    await refused(fromOther, callback.toString());
    const cookies = new Map(one.cookies);
    expect((await one.open(given.url, toConsole)).response.status).toBe(303);
    const replay = new Browser();
    for (const [name, value] of cookies) replay.cookies.set(name, value);
    await refused(replay, given.url);
    issuer.signIn(null);
    const cancelled = new Browser();
    await refused(cancelled, (await start(cancelled)).url);
  });

  it('goes on to paths of the console only', async () => {
    for (const path of ['//evil.example', '/\\evil.example', 'https://evil.example', 'x', '/api/docs', '/a\nb'])
      expect([path, (await world.stranger.get(`${START}?return=${encodeURIComponent(path)}`)).status]).toEqual([
        path,
        400,
      ]);
    issuer.signIn(subject());
    const browser = new Browser();
    const { url } = await start(browser);
    const cookie = Buffer.from(browser.cookies.get('armature_sign_in') ?? '', 'base64url').toString();
    const started: Json = JSON.parse(cookie);
    const led = JSON.stringify({ ...started, destination: '//evil.example' });
    browser.cookies.set('armature_sign_in', Buffer.from(led).toString('base64url'));
    expect((await browser.open(url, () => true)).url).toBe(`${world.baseUrl}/`);
  });
});
