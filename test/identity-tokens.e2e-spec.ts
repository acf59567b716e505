import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSocket, within } from './support/open-socket.js';
import { type Answer, type Json, Person } from './support/person.js';
import { World } from './support/world.js';

const TOKENS = '/api/identity/tokens';
const PROFILE = '/api/identity/users/profile';
let world: World;

beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

const mint = async (person: Person, scopes: string[], fields: object = {}): Promise<Json> => {
  const made = await person.post(TOKENS, { name: `token ${randomUUID()}`, scopes, ...fields });
  expect({ status: made.status, body: made.body }).toMatchObject({ status: 201 });
  return made.body;
};
const bearing = ({ token }: Json): Person => new Person(world.baseUrl, token as string);
const refusal = (status: number, code: string) => ({ status, body: { status, code } });

describe('a personal access token', () => {
  it('is shown once, works over REST, GraphQL and sockets, and is kept as a hash', async () => {
    const person = await world.person();
    const made = await mint(person, ['read', 'write']);
    expect(made).toMatchObject({ user_id: person.id, scopes: ['read', 'write'], expires_at: null, last_used_at: null });
    expect(made.token).toMatch(/^arm_pat_[\w-]{43}$/);
    const holder = bearing(made);
    expect((await holder.get(PROFILE)).body.id).toBe(person.id);
    expect((await holder.graphql('{ me { id } }')).body.data.me.id).toBe(person.id);
    (await openSocket(holder)).close();
    const listed = await person.get(TOKENS);
    expect(listed.body).toMatchObject({ total_count: 1, tokens: [{ id: made.id, name: made.name }] });
    const single = await person.get(`${TOKENS}/${made.id}`);
    expect(single.body).toMatchObject({ id: made.id });
    for (const seen of [
      listed.body,
      single.body,
      await world.sql('SELECT * FROM personal_token'),
      await world.sql('SELECT * FROM event'),
    ])
      expect(JSON.stringify(seen)).not.toContain(made.token.slice(8));
    const published = await world.sql(`SELECT category, action, metadata FROM event WHERE acted_upon = $1`, [made.id]);
    expect(published).toMatchObject([
      { category: 'token', action: 'created', metadata: { scopes: ['read', 'write'] } },
    ]);
  });

  it('that is revoked ends within a second, over REST, GraphQL and on open sockets', async () => {
    const person = await world.person();
    const [made, other] = [await mint(person, ['read']), await mint(person, ['read'])];
    const [holder, kept] = [bearing(made), bearing(other)];
    const [socket, open] = [await openSocket(holder), await openSocket(kept)];
    expect((await holder.get(PROFILE)).status).toBe(200);
    expect(await person.delete(`${TOKENS}/${made.id}`)).toMatchObject({
      status: 200,
      body: { id: made.id, deleted_at: expect.any(String) },
    });
    expect(await holder.get(PROFILE)).toMatchObject(refusal(401, 'UNAUTHENTICATED'));
    expect((await holder.graphql('{ __typename }')).body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
    expect(await within(1000, socket.closed)).toBe(4403);
    expect((await kept.get(PROFILE)).status).toBe(200);
    expect(await within(100, open.closed)).toBe('open');
    open.close();
    expect((await person.delete(`${TOKENS}/${made.id}`)).status).toBe(404);
  });

  it.each([
    [
      '/api/environments',
      () => JSON.stringify({ name: 'late', organization_id: world.organization }),
      /^HTTP\/1.1 401 /,
    ],
    ['/api/system/graphql/query', () => JSON.stringify({ query: '{ __typename }' }), /"code":"UNAUTHENTICATED"/],
  ])(
    'that is revoked while the body of a call arrives does not do what that asks: %s',
    async (path, toBody, refused) => {
      const { id, token } = await mint(world.admin, ['admin']);
      const body = toBody();
      const { hostname, port } = new URL(world.baseUrl);
      const socket = net.connect(Number(port), hostname);
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
          `Content-Length: ${body.length}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`,
      );
      // The body is asked for once every right has been judged.
      const [first] = (await once(socket, 'data')) as [Buffer];
      expect(first.toString()).toMatch(/^HTTP\/1.1 100 /);
      expect((await world.admin.delete(`${TOKENS}/${id}`)).status).toBe(200);
      socket.write(body);
      let heard = '';
      socket.on('data', (chunk: Buffer) => (heard += chunk.toString()));
      await once(socket, 'close');
      expect(heard).toMatch(refused);
    },
  );

  it('is revoked once when two revoke it at once', async () => {
    const person = await world.person();
    const { id } = await mint(person, ['read']);
    const answers = await Promise.all([1, 2, 3].map(() => person.delete(`${TOKENS}/${id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
  });

  it('expires', async () => {
    const person = await world.person();
    const made = await mint(person, ['read'], { expires_at: new Date(Date.now() + 1000).toISOString() });
    expect((await bearing(made).get(PROFILE)).status).toBe(200);
    await sleep(1100);
    expect((await bearing(made).get(PROFILE)).status).toBe(401);
    for (const expires_at of ['2020-01-01T00:00:00Z', 'tomorrow', 5])
      expect((await person.post(TOKENS, { name: 'x', scopes: ['read'], expires_at })).body.errors).toMatchObject([
        { pointer: '/expires_at' },
      ]);
  });

  it('names what is wrong with its scopes', async () => {
    const person = await world.person();
    for (const [scopes, detail] of [
      ['read', 'must be a list of scopes'],
      [[], 'must name at least one scope'],
      [['read', 'read'], 'must name a scope once'],
      [['everything'], 'must be some of read, write, deploy, admin'],
    ])
      expect((await person.post(TOKENS, { name: 'x', scopes })).body.errors).toEqual([{ pointer: '/scopes', detail }]);
  });

  it('does what its scopes say and nothing else', async () => {
    const owner = await world.outsider();
    const [read, write, deploy, admin] = await Promise.all(
      [['read'], ['write'], ['deploy'], ['admin']].map(async (scopes) => bearing(await mint(owner, scopes))),
    );
    if (!read || !write || !deploy || !admin) throw new Error('there are four');
    const workspace = (await owner.post('/api/workspaces', { name: 'w', organization_id: owner.organization })).body;
    const status = async (call: Promise<Answer>): Promise<number> => (await call).status;
    for (const holder of [read, write, deploy, admin]) {
      expect(await status(holder.get(`/api/workspaces/${workspace.id}`))).toBe(200);
      expect(
        (await holder.graphql('query ($id: ID!) { workspace(id: $id) { id } }', { id: workspace.id })).body.data
          .workspace.id,
      ).toBe(workspace.id);
    }
    const create = (holder: Person): Promise<Answer> =>
      holder.post('/api/workspaces', { name: 'made', organization_id: owner.organization });
    expect(await create(read)).toMatchObject(refusal(403, 'SCOPE_MISSING'));
    expect(await create(deploy)).toMatchObject(refusal(403, 'SCOPE_MISSING'));
    expect(await status(create(write))).toBe(201);
    expect(await status(create(admin))).toBe(201);
    const profile = (holder: Person): Promise<Answer> => holder.put(PROFILE, { first_name: 'A' });
    expect([await status(profile(read)), await status(profile(deploy)), await status(profile(write))]).toEqual([
      403, 403, 200,
    ]);
    const environment = (holder: Person): Promise<Answer> =>
      holder.post('/api/environments', { name: 'e', organization_id: owner.organization });
    expect([await status(environment(write)), await status(environment(admin))]).toEqual([403, 201]);
    for (const holder of [read, write, deploy]) {
      const orgs = `/api/identity/orgs/${owner.organization}`;
      expect(await holder.put(orgs, { description: 'x' })).toMatchObject(refusal(403, 'SCOPE_MISSING'));
      expect(await holder.post(`${orgs}/teams`, { name: 'x' })).toMatchObject(refusal(403, 'SCOPE_MISSING'));
      expect(await holder.post(`${orgs}/users`, { email: 'x@example.org', role: 'member' })).toMatchObject(
        refusal(403, 'SCOPE_MISSING'),
      );
      expect(await holder.post(`${orgs}/service-accounts`, { name: 'x', role: 'member' })).toMatchObject(
        refusal(403, 'SCOPE_MISSING'),
      );
      expect(
        await holder.put('/api/identity/users/password', { current_password: 'x', password: 'long enough' }),
      ).toMatchObject(refusal(403, 'SCOPE_MISSING'));
    }
    expect(await read.delete(`/api/identity/orgs/${owner.organization}/users/${owner.id}`)).toMatchObject(
      refusal(403, 'SCOPE_MISSING'),
    );
  });

  it('without the scope admin does not act as administrator of the installation', async () => {
    const narrow = bearing(await mint(world.admin, ['read', 'write', 'deploy']));
    expect((await narrow.get('/api/identity/users')).status).toBe(403);
    expect((await narrow.post('/api/identity/orgs', { name: randomUUID() })).status).toBe(403);
    expect((await narrow.put(`/api/identity/users/${world.admin.id}`, { deactivated: true })).status).toBe(403);
    const wide = bearing(await mint(world.admin, ['admin']));
    expect((await wide.post('/api/identity/orgs', { name: randomUUID() })).status).toBe(201);
  });

  it('makes no token that is wider or lives longer than itself', async () => {
    const person = await world.person();
    for (const scopes of [['read'], ['write'], ['read', 'write', 'deploy']])
      for (const wished of [['admin'], ['read']])
        expect(await bearing(await mint(person, scopes)).post(TOKENS, { name: 'x', scopes: wished })).toMatchObject(
          refusal(403, 'SCOPE_MISSING'),
        );
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const parent = bearing(await mint(person, ['admin'], { expires_at }));
    expect((await mint(parent, ['read'])).expires_at).toBe(expires_at);
    const longer = await parent.post(TOKENS, {
      name: 'x',
      scopes: ['read'],
      expires_at: new Date(Date.now() + 7_200_000).toISOString(),
    });
    expect(longer.body.errors).toMatchObject([{ pointer: '/expires_at' }]);
  });

  it('is refused without a sound list of scopes', async () => {
    const faults = async (body: object): Promise<string[]> =>
      (await world.admin.post(TOKENS, { name: 'x', ...body })).body.errors.map((each: Json) => each.pointer);
    for (const scopes of [[], ['root'], ['read', 'read'], 'read', undefined, [['read']]])
      expect(await faults({ scopes })).toEqual(['/scopes']);
    expect(await faults({ scopes: ['read'], user_id: randomUUID() })).toEqual(['/user_id']);
  });

  it('shows when it was last used', async () => {
    const person = await world.person();
    const made = await mint(person, ['read']);
    await bearing(made).get(PROFILE);
    const usedAt = async (): Promise<string | null> => (await person.get(`${TOKENS}/${made.id}`)).body.last_used_at;
    for (let i = 0; i < 20 && !(await usedAt()); i++) await sleep(50);
    const first = await usedAt();
    expect(Date.now() - Date.parse(first ?? '')).toBeLessThan(5000);
    await bearing(made).get(PROFILE);
    await sleep(100);
    expect(await usedAt()).toBe(first);
  });

  it('is seen and revoked by nobody else, the administrator of the installation included', async () => {
    const person = await world.person();
    const { id } = await mint(person, ['read']);
    expect((await world.admin.get(`${TOKENS}/${id}`)).status).toBe(404);
    expect((await world.admin.delete(`${TOKENS}/${id}`)).status).toBe(404);
    expect((await world.admin.get(TOKENS)).body.tokens.map((each: Json) => each.id)).not.toContain(id);
    expect((await world.stranger.get(TOKENS)).status).toBe(401);
    const published = await world.sql(`SELECT organization_id FROM event WHERE acted_upon = $1`, [id]);
    expect(published).toEqual([{ organization_id: null }]);
  });

  it('sleeps while its user is deactivated', async () => {
    const person = await world.person();
    const holder = bearing(await mint(person, ['read']));
    const socket = await openSocket(holder);
    await world.admin.put(`/api/identity/users/${person.id}`, { deactivated: true });
    expect((await holder.get(PROFILE)).status).toBe(401);
    expect(await within(1000, socket.closed)).toBe(4403);
    await world.admin.put(`/api/identity/users/${person.id}`, { deactivated: false });
    expect((await holder.get(PROFILE)).status).toBe(200);
  });

  it('that was never made, or is cut, is refused', async () => {
    const made = await mint(await world.person(), ['read']);
    for (const token of [
      'arm_pat_',
      `arm_pat_${'A'.repeat(43)}`,
      made.token.slice(0, -1),
      `${made.token}x`,
      made.token.toUpperCase(),
    ])
      expect((await new Person(world.baseUrl, token).get(PROFILE)).status).toBe(401);
  });
});

describe('a service account', () => {
  const accounts = (suffix = '', organization = world.organization): string =>
    `/api/identity/orgs/${organization}/service-accounts${suffix}`;
  const create = async (role = 'member'): Promise<Json> => {
    const made = await world.admin.post(accounts(), { name: 'CI / Bot', role });
    expect({ status: made.status, body: made.body }).toMatchObject({ status: 201 });
    return made.body;
  };
  const tokenOf = async ({ id }: Json, scopes = ['admin']): Promise<Json> => {
    const made = await world.admin.post(accounts(`/${id}/tokens`), { name: 'pipeline', scopes });
    expect({ status: made.status, body: made.body }).toMatchObject({ status: 201 });
    return made.body;
  };

  it('is a member with a role, and calls with tokens of its own', async () => {
    const account = await create();
    expect(account).toMatchObject({
      name: 'CI / Bot',
      role: 'member',
      organization_id: world.organization,
      active: true,
    });
    expect(account.email).toMatch(/^ci-bot\.[0-9a-f]{12}@service\.invalid$/);
    const made = await tokenOf(account, ['write']);
    expect(made.token).toMatch(/^arm_svc_[\w-]{43}$/);
    const holder = bearing(made);
    expect((await holder.get(PROFILE)).body).toMatchObject({ id: account.id, email: account.email });
    expect((await holder.post('/api/workspaces', { name: 'built', organization_id: world.organization })).status).toBe(
      201,
    );
    expect((await holder.post('/api/environments', { name: 'x', organization_id: world.organization })).status).toBe(
      403,
    );
    const members = await world.admin.get(`/api/identity/orgs/${world.organization}/users?search=${account.email}`);
    expect(members.body.users).toMatchObject([
      { id: account.id, kind: 'service', first_name: 'CI / Bot', role: 'member' },
    ]);
    expect(
      (await world.admin.get(accounts('?pagesize=500'))).body.service_accounts.map((each: Json) => each.id),
    ).toContain(account.id);
    const published = await world.sql(`SELECT organization_id, action FROM event WHERE acted_upon = $1`, [made.id]);
    expect(published).toEqual([{ organization_id: world.organization, action: 'created' }]);
  });

  it('that is deleted ends within a second, and is no longer a member', async () => {
    const account = await create();
    const holder = bearing(await tokenOf(account));
    const socket = await openSocket(holder);
    expect((await holder.get(PROFILE)).status).toBe(200);
    expect((await world.admin.delete(accounts(`/${account.id}`))).status).toBe(200);
    expect((await holder.get(PROFILE)).status).toBe(401);
    expect(await within(1000, socket.closed)).toBe(4403);
    expect(
      (await world.admin.get(`/api/identity/orgs/${world.organization}/users?search=${account.email}`)).body
        .total_count,
    ).toBe(0);
    expect((await world.admin.delete(accounts(`/${account.id}`))).status).toBe(404);
  });

  it('has tokens that are listed without their secret and revoked at once', async () => {
    const account = await create();
    const made = await tokenOf(account);
    const holder = bearing(made);
    expect((await holder.get(PROFILE)).status).toBe(200);
    const listed = await world.admin.get(accounts(`/${account.id}/tokens`));
    expect(listed.body.tokens).toMatchObject([{ id: made.id, name: 'pipeline' }]);
    expect(JSON.stringify(listed.body)).not.toContain(made.token);
    expect((await world.admin.delete(accounts(`/${account.id}/tokens/${made.id}`))).status).toBe(200);
    expect((await holder.get(PROFILE)).status).toBe(401);
  });

  it('ends with its organization', async () => {
    const organization = (await world.admin.post('/api/identity/orgs', { name: randomUUID() })).body;
    const account = (await world.admin.post(accounts('', organization.id), { name: 'bot', role: 'admin' })).body;
    const made = (
      await world.admin.post(accounts(`/${account.id}/tokens`, organization.id), { name: 't', scopes: ['read'] })
    ).body;
    expect((await bearing(made).get(PROFILE)).status).toBe(200);
    expect((await world.admin.delete(`/api/identity/orgs/${organization.id}`)).status).toBe(200);
    expect((await bearing(made).get(PROFILE)).status).toBe(401);
  });

  it('has no password, is no owner and no administrator of the installation, and belongs to one organization', async () => {
    const account = await create();
    const users = `/api/identity/orgs/${world.organization}/users`;
    expect((await world.stranger.post('/api/auth/login', { email: account.email, password: 'none' })).status).toBe(401);
    expect((await world.admin.post(accounts(), { name: 'x', role: 'owner' })).status).toBe(400);
    expect((await world.admin.put(`${users}/${account.id}`, { role: 'owner' })).status).toBe(400);
    expect((await world.admin.put(`${users}/${account.id}`, { role: 'admin' })).body.role).toBe('admin');
    expect((await world.admin.put(`/api/identity/users/${account.id}`, { installation_admin: true })).status).toBe(400);
    expect(await world.admin.delete(`${users}/${account.id}`)).toMatchObject(refusal(409, 'SERVICE_ACCOUNT'));
    const holder = bearing(await tokenOf(account));
    expect(await holder.delete(`${users}/${account.id}`)).toMatchObject(refusal(409, 'SERVICE_ACCOUNT'));
    expect(
      await holder.put('/api/identity/users/password', { current_password: 'x', password: 'long enough' }),
    ).toMatchObject(refusal(409, 'NO_PASSWORD'));
    const outsider = await world.outsider();
    expect(
      (
        await outsider.post(`/api/identity/orgs/${outsider.organization}/users`, {
          email: account.email,
          role: 'member',
        })
      ).status,
    ).toBe(400);
  });

  it('is seen by members, managed by admins, and its tokens are no outsider’s', async () => {
    const account = await create();
    const made = await tokenOf(account);
    const [member, outsider] = [await world.person(), await world.outsider()];
    expect((await member.get(accounts())).status).toBe(200);
    for (const [method, path, body] of [
      ['POST', '', { name: 'x', role: 'member' }],
      ['DELETE', `/${account.id}`, undefined],
      ['GET', `/${account.id}/tokens`, undefined],
      ['POST', `/${account.id}/tokens`, { name: 'x', scopes: ['read'] }],
      ['DELETE', `/${account.id}/tokens/${made.id}`, undefined],
    ] as const) {
      expect((await member.call(method, accounts(path), { body })).status).toBe(403);
      expect((await outsider.call(method, accounts(path), { body })).status).toBe(404);
      if (path) expect((await outsider.call(method, accounts(path, outsider.organization), { body })).status).toBe(404);
    }
    const person = await world.person();
    expect((await world.admin.post(accounts(`/${person.id}/tokens`), { name: 'x', scopes: ['read'] })).status).toBe(
      404,
    );
    expect((await bearing(made).get(PROFILE)).status).toBe(200);
  });
});
