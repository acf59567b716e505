import { randomUUID } from 'node:crypto';
import type { Answer, Json, Person } from './support/person.js';
import { PASSWORD } from './support/settings.js';
import { World } from './support/world.js';

let world: World;

beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

const ORGS = '/api/identity/orgs';
const address = (): string => `${randomUUID()}@example.org`;
const refusal = (status: number, code: string) => ({ status, body: { status, code } });

const found = async (fields: object = {}): Promise<Json> => {
  const made = await world.admin.post(ORGS, { name: `org ${randomUUID()}`, ...fields });
  expect(made.status).toBe(201);
  return made.body;
};

/** The two answers differ in nothing but the ids that were asked for. */
const alike = (one: Answer, id: string, other: Answer, otherId: string): void => {
  const scrub = ({ body }: Answer, used: string) => JSON.stringify({ ...body, request_id: '' }).replaceAll(used, 'ID');
  expect(one.status).toBe(other.status);
  expect(scrub(one, id)).toBe(scrub(other, otherId));
};

describe('an organization', () => {
  it('is created, read, changed and deleted', async () => {
    const made = await found({ description: 'for trials', metadata: { a: 1 } });
    expect(made).toMatchObject({
      owner: world.admin.id,
      description: 'for trials',
      metadata: { a: 1 },
      deleted_at: null,
    });
    const path = `${ORGS}/${made.id}`;
    expect((await world.admin.get(path)).body).toEqual(made);
    const changed = await world.admin.put(path, { ...made, name: `${made.name} II`, description: null });
    expect(changed).toMatchObject({
      status: 200,
      body: { name: `${made.name} II`, description: '', metadata: { a: 1 } },
    });
    expect((await world.admin.put(path, { owner: randomUUID() })).body.code).toBe('READ_ONLY_FIELD');
    expect((await world.admin.get(`${ORGS}?search=${encodeURIComponent(`${made.name} ii`)}`)).body).toMatchObject({
      total_count: 1,
      organizations: [{ id: made.id }],
    });
    expect(await world.admin.delete(path)).toMatchObject({ status: 200, body: { deleted_at: expect.any(String) } });
    expect((await world.admin.get(path)).status).toBe(404);
  });

  it('has a name that no other has, whatever its case, also when two are made at once', async () => {
    const name = `Unique ${randomUUID()}`;
    const answers = await Promise.all(
      [name, name.toUpperCase(), name.toLowerCase()].map((each) => world.admin.post(ORGS, { name: each })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('NAME_TAKEN');
    const other = await found();
    expect(await world.admin.put(`${ORGS}/${other.id}`, { name })).toMatchObject(refusal(409, 'NAME_TAKEN'));
    const first = answers.find(({ status }) => status === 201)?.body.id;
    await world.admin.delete(`${ORGS}/${first}`);
    expect((await world.admin.put(`${ORGS}/${other.id}`, { name })).status).toBe(200);
  });

  it('is deleted only when it has no workspace left, and the refusal lists them', async () => {
    const { id } = await found();
    const workspace = (await world.admin.post('/api/workspaces', { name: 'kept', organization_id: id })).body;
    const refused = await world.admin.delete(`${ORGS}/${id}`);
    expect(refused).toMatchObject(refusal(409, 'IN_USE'));
    expect(refused.body.workspaces).toEqual([{ id: workspace.id, name: 'kept' }]);
    await world.admin.delete(`/api/workspaces/${workspace.id}`);
    expect((await world.admin.delete(`${ORGS}/${id}`)).status).toBe(200);
    expect((await world.admin.post(`/api/workspaces/${workspace.id}/restore`)).status).toBe(404);
  });

  it('is made by installation administrators only', async () => {
    const member = await world.person('owner');
    expect(await member.post(ORGS, { name: address() })).toMatchObject(refusal(403, 'FORBIDDEN'));
  });

  it('is visible to its members, and to nobody else', async () => {
    const outsider = await world.outsider();
    const absent = randomUUID();
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PUT', '', { name: 'x' }],
      ['DELETE', '', undefined],
      ['GET', '/users', undefined],
      ['POST', '/users', { email: address(), role: 'member', password: PASSWORD }],
      ['PUT', `/users/${world.admin.id}`, { role: 'member' }],
      ['DELETE', `/users/${world.admin.id}`, undefined],
      ['GET', '/invitations', undefined],
    ] as const)
      alike(
        await outsider.call(method, `${ORGS}/${world.organization}${path}`, { body }),
        world.organization,
        await outsider.call(method, `${ORGS}/${absent}${path}`, { body }),
        absent,
      );
    expect((await outsider.get(ORGS)).body.organizations.map((each: Json) => each.id)).toEqual([outsider.organization]);
  });

  it('is changed by its admins and deleted by its owners', async () => {
    const { id } = await found();
    const [member, admin, owner] = [
      await world.person('member', id),
      await world.person('admin', id),
      await world.person('owner', id),
    ];
    expect((await member.put(`${ORGS}/${id}`, { description: 'x' })).status).toBe(403);
    expect((await admin.put(`${ORGS}/${id}`, { description: 'x' })).status).toBe(200);
    expect((await admin.delete(`${ORGS}/${id}`)).status).toBe(403);
    expect((await owner.delete(`${ORGS}/${id}`)).status).toBe(200);
    expect((await member.get(`${ORGS}/${id}`)).status).toBe(404);
  });
});

describe('the members of an organization', () => {
  let id: string;
  let owner: Person;
  beforeAll(async () => {
    owner = await world.outsider();
    id = (owner as Person & { organization: string }).organization;
  });
  const users = (suffix = ''): string => `${ORGS}/${id}/users${suffix}`;

  it('are added with a password and can sign in with it', async () => {
    const email = address();
    const added = await owner.post(users(), {
      email: email.toUpperCase(),
      role: 'admin',
      first_name: 'Ada',
      last_name: 'L',
      password: PASSWORD,
    });
    expect(added).toMatchObject({
      status: 201,
      body: { email, role: 'admin', kind: 'person', first_name: 'Ada', last_name: 'L', active: true },
    });
    expect(added.body).not.toHaveProperty('invitation_url');
    expect(JSON.stringify(added.body)).not.toContain('argon2');
    expect((await world.signIn(email, PASSWORD)).id).toBe(added.body.id);
    expect(await owner.post(users(), { email, role: 'member', password: PASSWORD })).toMatchObject(
      refusal(409, 'ALREADY_MEMBER'),
    );
  });

  it('who have an account are invited, join by accepting, and keep their password', async () => {
    const known = await world.person();
    const added = await owner.post(users(), { email: known.email, role: 'member', password: 'another password' });
    expect(added).toMatchObject({ status: 201, body: { account: 'existing', active: false } });
    expect((await known.get(`${ORGS}/${id}`)).status).toBe(404);
    expect((await known.post(new URL(added.body.invitation_url).pathname)).status).toBe(200);
    expect(
      (await world.stranger.post('/api/auth/login', { email: known.email, password: 'another password' })).status,
    ).toBe(401);
    expect((await known.get(`${ORGS}/${id}`)).status).toBe(200);
  });

  it('are made once when two admins add the same address at once', async () => {
    const body = { email: address(), role: 'member', password: PASSWORD };
    const answers = await Promise.all([1, 2, 3].map(() => owner.post(users(), body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  it('are listed in pages, searched and ordered', async () => {
    const [a, b] = [`a-${randomUUID()}@list.example`, `b-${randomUUID()}@list.example`];
    for (const email of [b, a])
      await owner.post(users(), {
        email,
        role: 'member',
        password: PASSWORD,
        first_name: 'Grace',
        last_name: email[0],
      });
    const emails = async (query: string): Promise<string[]> =>
      (await owner.get(users(`?${query}`))).body.users.map((each: Json) => each.email);
    expect(await emails('search=LIST.example&order=email')).toEqual([a, b]);
    expect(await emails('search=LIST.example')).toEqual([a, b]);
    expect(await emails('search=grace%20b')).toEqual([b]);
    expect(await emails('search=list.example&order=email%20desc&pagesize=1')).toEqual([b]);
    expect(await emails(`filter=${encodeURIComponent('{"role":"owner"}')}`)).toEqual([owner.email]);
    expect((await owner.get(users('?order=password_hash'))).status).toBe(400);
    const walked: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body }: Answer = await owner.get(
        users(`?search=list.example&order=created_at&pagesize=1&cursor=${cursor}`),
      );
      walked.push(...body.users.map((each: Json) => each.email));
      cursor = body.next_cursor as string | null;
    }
    expect(walked).toEqual([b, a]);
  });

  it('are refused with what is wrong', async () => {
    const faults = async (body: object): Promise<string[]> =>
      (await owner.post(users(), body)).body.errors?.map((each: Json) => each.pointer);
    expect(await faults({ email: 'nobody', role: 'king', password: 'short' })).toEqual([
      '/email',
      '/role',
      '/password',
    ]);
    expect(await faults({ email: 'x@service.invalid', role: 'member', password: PASSWORD })).toEqual(['/email']);
  });

  it('lose access with the next request when they are removed, and what they own stays', async () => {
    const email = address();
    await owner.post(users(), { email, role: 'member', password: PASSWORD });
    const person = await world.signIn(email, PASSWORD);
    const workspace = (await person.post('/api/workspaces', { name: 'theirs', organization_id: id })).body;
    expect((await owner.delete(users(`/${person.id}`))).status).toBe(200);
    expect((await person.get(`${ORGS}/${id}`)).status).toBe(404);
    expect((await person.get(`/api/workspaces/${workspace.id}`)).status).toBe(404);
    expect((await person.get('/api/identity/users/profile')).status).toBe(200);
    expect((await owner.get(`/api/workspaces/${workspace.id}`)).body).toMatchObject({ owner: person.id });
  });

  it('may leave by themselves', async () => {
    const email = address();
    await owner.post(users(), { email, role: 'member', password: PASSWORD });
    const person = await world.signIn(email, PASSWORD);
    expect((await person.delete(users(`/${person.id}`))).status).toBe(200);
  });

  it('are managed by admins, but owners by owners only', async () => {
    const [email, other] = [address(), address()];
    await owner.post(users(), { email, role: 'admin', password: PASSWORD });
    const admin = await world.signIn(email, PASSWORD);
    expect((await admin.post(users(), { email: other, role: 'owner', password: PASSWORD })).status).toBe(403);
    const added = (await admin.post(users(), { email: other, role: 'member', password: PASSWORD })).body;
    expect((await admin.put(users(`/${added.id}`), { role: 'owner' })).status).toBe(403);
    expect((await admin.put(users(`/${owner.id}`), { role: 'member' })).status).toBe(403);
    expect((await admin.delete(users(`/${owner.id}`))).status).toBe(403);
    const member = await world.signIn(other, PASSWORD);
    expect((await member.put(users(`/${admin.id}`), { role: 'member' })).status).toBe(403);
    expect((await member.get(users())).status).toBe(200);
    expect((await admin.put(users(`/${added.id}`), { role: 'admin' })).body.role).toBe('admin');
  });

  it('always have an owner, also when two owners go at once', async () => {
    expect(await owner.put(users(`/${owner.id}`), { role: 'admin' })).toMatchObject(refusal(409, 'LAST_OWNER'));
    expect(await owner.delete(users(`/${owner.id}`))).toMatchObject(refusal(409, 'LAST_OWNER'));
    const email = address();
    const second = (await owner.post(users(), { email, role: 'owner', password: PASSWORD })).body;
    const other = await world.signIn(email, PASSWORD);
    const answers = await Promise.all([
      owner.delete(users(`/${owner.id}`)),
      other.put(users(`/${second.id}`), { role: 'member' }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('LAST_OWNER');
  });

  it('keep an owner who can act: a deactivated one does not count', async () => {
    const org = await world.outsider();
    const email = address();
    const second = (await org.post(`${ORGS}/${org.organization}/users`, { email, role: 'owner', password: PASSWORD }))
      .body;
    await world.admin.put(`/api/identity/users/${second.id}`, { deactivated: true });
    expect(await org.delete(`${ORGS}/${org.organization}/users/${org.id}`)).toMatchObject(refusal(409, 'LAST_OWNER'));
  });
});

describe('an invitation', () => {
  const invite = async (email = address(), role = 'member'): Promise<Json> => {
    const { status, body } = await world.admin.post(`${ORGS}/${world.organization}/users`, {
      email,
      role,
      first_name: 'Inga',
    });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { email, active: false, invitation_url: expect.any(String) },
    });
    return body;
  };
  const pathOf = ({ invitation_url }: Json): string => new URL(invitation_url).pathname;
  const accept = (invited: Json, body: object = { password: PASSWORD }): Promise<Answer> =>
    world.stranger.post(pathOf(invited), body);

  it('makes the account, with the role, once', async () => {
    const invited = await invite(undefined, 'admin');
    expect(invited.invitation_url).toMatch(/^http:\/\/127\.0\.0\.1:9081\/api\/auth\/invitations\/[\w-]{43}$/);
    expect((await world.stranger.get(pathOf(invited))).body).toMatchObject({ email: invited.email, role: 'admin' });
    const accepted = await accept(invited, { password: PASSWORD, last_name: 'Vited' });
    expect(accepted).toMatchObject({
      status: 201,
      body: { email: invited.email, first_name: 'Inga', last_name: 'Vited' },
    });
    const person = await world.signIn(invited.email, PASSWORD);
    expect((await person.get('/api/identity/users/profile')).body.organizations).toMatchObject([
      { id: world.organization, role: 'admin' },
    ]);
    expect(await accept(invited)).toMatchObject(refusal(410, 'INVITATION_ACCEPTED'));
    expect(await world.stranger.get(pathOf(invited))).toMatchObject(refusal(410, 'INVITATION_ACCEPTED'));
  });

  it('is accepted once when several accept it at once', async () => {
    const invited = await invite();
    const answers = await Promise.all([1, 2, 3].map(() => accept(invited)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 410, 410]);
  });

  it('is refused with a weak password, and holds then', async () => {
    const invited = await invite();
    expect((await accept(invited, { password: 'short' })).body.errors).toMatchObject([{ pointer: '/password' }]);
    expect((await accept(invited)).status).toBe(201);
  });

  it('that never was is 404, one that expired is 410', async () => {
    expect((await world.stranger.post('/api/auth/invitations/nothing', { password: PASSWORD })).status).toBe(404);
    const invited = await invite();
    await world.sql('UPDATE invitation SET expires_at = now() WHERE id = $1', [invited.id]);
    expect(await accept(invited)).toMatchObject(refusal(410, 'INVITATION_EXPIRED'));
  });

  it('is replaced by the next one for the same address', async () => {
    const first = await invite();
    const second = await invite(first.email);
    expect(await accept(first)).toMatchObject(refusal(410, 'INVITATION_WITHDRAWN'));
    expect((await accept(second)).status).toBe(201);
  });

  it('is listed and withdrawn by admins, and its token is kept nowhere', async () => {
    const invited = await invite();
    const path = `${ORGS}/${world.organization}/invitations`;
    const listed = (await world.admin.get(`${path}?search=${invited.email}`)).body.invitations;
    expect(listed).toMatchObject([{ id: invited.id, email: invited.email }]);
    const token = invited.invitation_url.split('/').at(-1) as string;
    expect(JSON.stringify(listed)).not.toContain(token);
    expect(JSON.stringify(await world.sql('SELECT * FROM invitation'))).not.toContain(token);
    expect(JSON.stringify(await world.sql('SELECT * FROM event'))).not.toContain(token);
    const member = await world.person();
    expect((await member.get(path)).status).toBe(403);
    expect((await member.delete(`${path}/${invited.id}`)).status).toBe(403);
    expect((await world.admin.delete(`${path}/${invited.id}`)).status).toBe(200);
    expect(await accept(invited)).toMatchObject(refusal(410, 'INVITATION_WITHDRAWN'));
    expect((await world.admin.delete(`${path}/${invited.id}`)).status).toBe(404);
  });

  it('never changes an account that was created concurrently', async () => {
    const invited = await invite();
    const other = await world.outsider();
    await other.post(`${ORGS}/${other.organization}/users`, {
      email: invited.email,
      role: 'member',
      password: PASSWORD,
    });
    expect(await accept(invited, { password: 'taking it over' })).toMatchObject(refusal(409, 'ACCOUNT_EXISTS'));
    expect((await world.signIn(invited.email, PASSWORD)).email).toBe(invited.email);
  });
});

describe('the profile', () => {
  it('is the same over REST and GraphQL', async () => {
    const person = await world.person('admin');
    const profile = (await person.get('/api/identity/users/profile')).body;
    expect(profile).toEqual({
      id: person.id,
      email: person.email,
      first_name: '',
      last_name: '',
      installation_admin: false,
      default_organization_id: null,
      identity: null,
      organizations: [{ id: world.organization, name: 'Default', role: 'admin' }],
    });
    const { body } = await person.graphql(
      '{ me { id email first_name last_name installation_admin default_organization_id identity { issuer subject } organizations { id name role } } }',
    );
    expect(body.data.me).toEqual(profile);
  });
});

describe('over GraphQL', () => {
  const ORGANIZATION = 'id name description owner metadata created_at updated_at deleted_at';
  const TEAM = 'id name description organization_id created_at updated_at deleted_at';
  const MEMBER = 'id kind email first_name last_name role active unconfirmed created_at updated_at';
  let organization: Json;
  let admin: Person;
  let member: Person;

  beforeAll(async () => {
    organization = await found({ description: 'for both APIs' });
    [admin, member] = [await world.person('member'), await world.person('member')];
    for (const [person, role] of [
      [admin, 'admin'],
      [member, 'member'],
    ] as const)
      // prettier-ignore
      await world.admin.post(`${ORGS}/${organization.id}/users`, { email: person.email, role });
    for (const name of ['item 10', 'item 2', 'other'])
      await world.admin.post(`${ORGS}/${organization.id}/teams`, { name, description: `the ${name}` });
  });

  /** The pages of a list over both APIs, walked by cursor, with what every field has. */
  const walk = async (person: Person, field: string, rest: string, plural: string, selection: string) => {
    const pages: [Json, Json][] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const of = field === 'organizations' ? '' : `orgID: "${organization.id}", `;
      const query = `{ ${field}(${of}pagesize: 2, order: "created_at asc", cursor: "${cursor}")
        { page page_size total_count next_cursor ${plural} { ${selection} } } }`;
      const { body } = await person.graphql(query);
      const twin = await person.get(`${rest}?pagesize=2&order=created_at%20asc&cursor=${encodeURIComponent(cursor)}`);
      expect({ errors: body.errors, status: twin.status }).toEqual({ errors: undefined, status: 200 });
      pages.push([body.data[field], twin.body]);
      cursor = twin.body.next_cursor as string | null;
    }
    return pages;
  };

  it('organizations, teams and members are the pages of their REST twins, for everyone', async () => {
    const users = `${ORGS}/${organization.id}/users`;
    for (const person of [world.admin, admin, member])
      for (const [field, rest, plural, selection] of [
        ['organizations', ORGS, 'organizations', ORGANIZATION],
        ['teams', `${ORGS}/${organization.id}/teams`, 'teams', TEAM],
        ['members', users, 'users', MEMBER],
      ] as const) {
        const pages = await walk(person, field, rest, plural, selection);
        if (field !== 'organizations') expect(pages).toHaveLength(2);
        for (const [own, twin] of pages) {
          const unseen = field === 'members' && person === member ? { unconfirmed: null } : {};
          expect(own).toEqual({ ...twin, [plural]: (twin[plural] as Json[]).map((each) => ({ ...unseen, ...each })) });
        }
      }
  });

  it('an organization and a team are read by their ids, and lists take the only organization of the caller', async () => {
    const [team] = (await admin.get(`${ORGS}/${organization.id}/teams`)).body.teams;
    const query = `{ organization(id: "${organization.id}") { ${ORGANIZATION} } team(id: "${team.id}") { ${TEAM} } }`;
    expect((await member.graphql(query)).body.data).toEqual({ organization, team });
    const only = await world.outsider();
    expect((await only.graphql('{ members { users { email } } teams { total_count } }')).body.data).toEqual({
      members: { users: [{ email: only.email }] },
      teams: { total_count: 0 },
    });
    const { body } = await member.graphql('{ teams { total_count } }');
    expect(body.errors[0].extensions).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer: 'orgID' }] });
  });

  it('what is of others is absent, in the same words as what there is not', async () => {
    const outsider = await world.outsider();
    const [team] = (await admin.get(`${ORGS}/${organization.id}/teams`)).body.teams;
    for (const [field, id] of [
      ['organization(id: "ID") { id }', organization.id],
      ['team(id: "ID") { id }', team.id],
      ['teams(orgID: "ID") { total_count }', organization.id],
      ['members(orgID: "ID") { total_count }', organization.id],
    ] as [string, string][]) {
      // prettier-ignore
      const ask = (asked: string): Promise<Answer> => outsider.graphql(`{ ${field.replace('"ID"', `"${asked}"`)} }`);
      const none = randomUUID();
      const [theirs, absent] = [await ask(id), await ask(none)];
      const plain = ({ body }: Answer, used: string): string =>
        JSON.stringify(body.errors)
          .replaceAll(used, 'ID')
          .replace(/"request_id":"[^"]*"/, '');
      expect(theirs.body.errors[0].extensions.code).toBe('NOT_FOUND');
      expect(plain(theirs, id)).toBe(plain(absent, none));
    }
  });
});
