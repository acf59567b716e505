import { randomUUID } from 'node:crypto';
import type { Json, Person } from './support/person.js';
import { World } from './support/world.js';

let world: World;

beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

const create = async (fields: Record<string, unknown> = {}, person: Person = world.admin): Promise<Json> => {
  const { status, body } = await person.post('/api/environments', {
    name: `env ${randomUUID()}`,
    organization_id: world.organization,
    ...fields,
  });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body;
};

const connect = async (environment: Json): Promise<Json> => {
  const made = await world.admin.post('/api/integrations/connections', {
    name: `connection ${randomUUID()}`,
    kind: 'custom',
    organization_id: world.organization,
  });
  expect(made.status).toBe(201);
  const mapping = await world.admin.post(`/api/environments/${environment.id}/connections/${made.body.id}`);
  expect(mapping.status).toBe(200);
  return made.body;
};

const problem = (status: number, code: string, ...pointers: string[]) => ({
  status,
  body: {
    status,
    code,
    type: expect.any(String),
    title: expect.any(String),
    error: expect.any(String),
    request_id: expect.any(String),
    ...(pointers.length > 0 ? { errors: pointers.map((pointer) => expect.objectContaining({ pointer })) } : {}),
  },
});

describe('an environment', () => {
  it('is created, read, changed and deleted', async () => {
    const { admin } = world;
    const made = await create({ name: 'staging', description: 'for trials', tier: 'staging' });
    expect(made).toMatchObject({
      name: 'staging',
      description: 'for trials',
      organization_id: world.organization,
      owner: admin.id,
      status: 'active',
      tier: 'staging',
      metadata: {},
      deleted_at: null,
      schemaVersion: 'environments.meshery.io/v1beta1',
    });
    expect(made.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(await admin.get(`/api/environments/${made.id}?orgID=${world.organization}`)).toMatchObject({
      status: 200,
      body: made,
    });
    const other = (await admin.post('/api/identity/orgs', { name: `Other ${randomUUID()}` })).body;
    for (const orgID of [other.id as string, randomUUID()])
      expect(await admin.get(`/api/environments/${made.id}?orgID=${orgID}`)).toMatchObject({
        status: 404,
        body: { code: 'NOT_FOUND', detail: expect.stringContaining(made.id as string) },
      });
    expect((await admin.get(`/api/environments/${made.id}?orgID=mine`)).status).toBe(400);
    expect(await admin.put(`/api/environments/${made.id}`, { description: null })).toMatchObject({
      status: 200,
      body: { name: 'staging', description: '', tier: 'staging' },
    });
    expect(await admin.delete(`/api/environments/${made.id}`)).toMatchObject({ status: 200, body: { id: made.id } });
    expect(await admin.get(`/api/environments/${made.id}`)).toMatchObject(problem(404, 'NOT_FOUND'));
  });

  it('takes names of 1 to 255 characters, also one that another has', async () => {
    await create({ name: 'twin' });
    await create({ name: 'twin' });
    await create({ name: 'x'.repeat(255) });
    for (const name of ['', '   ', 'x'.repeat(256), 7, null])
      expect(await world.admin.post('/api/environments', { name, organization_id: world.organization })).toMatchObject(
        problem(400, 'VALIDATION_FAILED', '/name'),
      );
  });

  it('names every fault of a body at once, unknown fields among them', async () => {
    const answer = await world.admin.post('/api/environments', {
      organization_id: 'mine',
      tier: 'best',
      colour: 'red',
    });
    expect(answer).toMatchObject(problem(400, 'VALIDATION_FAILED', '/colour', '/name', '/organization_id', '/tier'));
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
  });

  it('refuses what no database keeps, and names where it stands', async () => {
    const body = (fields: object) => ({ name: 'odd', organization_id: world.organization, ...fields });
    const refused = async (fields: object, ...pointers: string[]) =>
      expect(await world.admin.post('/api/environments', body(fields))).toMatchObject(
        problem(400, 'VALIDATION_FAILED', ...pointers),
      );
    await refused({ name: 'a\0b', description: '\0' }, '/name', '/description');
    await refused({ name: '\ud800' }, '/name');
    await refused({ metadata: { list: [{ 'a/b': 'x\0' }], 'k\0': 1 } }, '/metadata/k\\u0000', '/metadata/list/0/a~1b');
    let deep: object = {};
    for (let i = 0; i < 3_000; i++) deep = { deep };
    const { status, body: answer } = await world.admin.post('/api/environments', body({ metadata: deep }));
    expect({ status, detail: answer.errors[0].detail }).toEqual({
      status: 400,
      detail: 'is nested deeper than 200 levels',
    });
    expect((await world.admin.post('/api/environments', body({ name: 'h\u00e9 \u{1F600}' }))).status).toBe(201);
  });

  it('takes the spellings of clients in the field', async () => {
    const { status, body } = await world.admin.post('/api/environments', {
      name: 'camel',
      organizationId: world.organization,
    });
    expect({ status, name: body.name }).toEqual({ status: 201, name: 'camel' });
    for (const key of ['orgID', 'orgId', 'org_id'])
      expect((await world.admin.get(`/api/environments?${key}=${randomUUID()}`)).status).toBe(404);
    for (const key of ['pagesize', 'pageSize', 'page_size'])
      expect((await world.admin.get(`/api/environments?${key}=3`)).body.page_size).toBe(3);
  });

  it('can be read, changed and written back whole, but its fixed fields not changed', async () => {
    const made = await create();
    const { status, body } = await world.admin.put(`/api/environments/${made.id}`, { ...made, name: 'renamed' });
    expect({ status, name: body.name, revision: body.created_at }).toEqual({
      status: 200,
      name: 'renamed',
      revision: made.created_at,
    });
    expect(await world.admin.put(`/api/environments/${made.id}`, { owner: randomUUID() })).toMatchObject(
      problem(400, 'READ_ONLY_FIELD', '/owner'),
    );
    expect(
      await world.admin.post('/api/environments', { name: 'x', organization_id: world.organization, id: randomUUID() }),
    ).toMatchObject(problem(400, 'READ_ONLY_FIELD', '/id'));
  });

  it('is archived and restored', async () => {
    const { id } = await create();
    expect(await world.admin.post(`/api/environments/${id}/archive`)).toMatchObject({
      status: 200,
      body: { status: 'archived' },
    });
    expect((await world.admin.get(`/api/environments/${id}`)).body.status).toBe('archived');
    expect(await world.admin.post(`/api/environments/${id}/restore`)).toMatchObject({
      status: 200,
      body: { status: 'active' },
    });
  });

  it('comes back from deletion with the mappings and assignments it had, as far as their other ends exist', async () => {
    const { admin } = world;
    const environment = await create();
    const [kept, gone] = [await connect(environment), await connect(environment)];
    const workspace = (await admin.post('/api/workspaces', { name: 'w', organization_id: world.organization })).body;
    await admin.post(`/api/workspaces/${workspace.id}/environments/${environment.id}`);

    await admin.delete(`/api/environments/${environment.id}`);
    expect((await admin.get(`/api/workspaces/${workspace.id}/environments`)).body.environments).toEqual([]);
    expect((await admin.get(`/api/integrations/connections/${kept.id}`)).status).toBe(200);
    await admin.delete(`/api/integrations/connections/${gone.id}`);
    const trash = await admin.get('/api/environments?filter={"deleted_at":true}&pagesize=500');
    expect(trash.body.environments.map((each: Json) => each.id)).toContain(environment.id);

    const restored = await admin.post(`/api/environments/${environment.id}/restore`);
    expect(restored).toMatchObject({ status: 200, body: { status: 'active', deleted_at: null } });
    const connections = await admin.get(`/api/environments/${environment.id}/connections`);
    expect(connections.body.connections.map((each: Json) => each.id)).toEqual([kept.id]);
    expect((await admin.get(`/api/workspaces/${workspace.id}/environments`)).body.environments).toHaveLength(1);
  });

  it('is written only from the state that If-Match names', async () => {
    const { id } = await create();
    const read = await world.admin.get(`/api/environments/${id}`);
    const tag = read.headers.get('etag') ?? '';
    expect((await world.admin.get(`/api/environments/${id}`, { headers: { 'if-none-match': tag } })).status).toBe(304);
    const first = await world.admin.put(`/api/environments/${id}`, { name: 'first' }, { headers: { 'if-match': tag } });
    expect(first.status).toBe(200);
    const second = await world.admin.put(
      `/api/environments/${id}`,
      { name: 'second' },
      { headers: { 'if-match': tag } },
    );
    expect(second).toMatchObject(problem(412, 'PRECONDITION_FAILED'));
    expect((await world.admin.delete(`/api/environments/${id}`, { headers: { 'if-match': tag } })).status).toBe(412);
    expect((await world.admin.get(`/api/environments/${id}`)).body.name).toBe('first');
  });

  it('is made once for one idempotency key, also when two requests race', async () => {
    const key = { headers: { 'idempotency-key': randomUUID() } };
    const body = { name: `once ${randomUUID()}`, organization_id: world.organization };
    const answers = await Promise.all([1, 2, 3].map(() => world.admin.post('/api/environments', body, key)));
    expect(answers.map((answer) => answer.status).filter((status) => status !== 409 && status !== 201)).toEqual([]);
    const again = await world.admin.post('/api/environments', body, key);
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const list = await world.admin.get(`/api/environments?search=${encodeURIComponent(body.name)}`);
    expect(list.body.environments.map((each: Json) => each.id)).toEqual([again.body.id]);
    expect(await world.admin.post('/api/environments', { ...body, name: 'other' }, key)).toMatchObject(
      problem(422, 'IDEMPOTENCY_MISMATCH'),
    );
  });
});

describe('the list of environments', () => {
  let organization: string;
  let owner: Person;
  const names = Array.from({ length: 25 }, (_, i) => `n${String(i).padStart(2, '0')}`);

  beforeAll(async () => {
    const outsider = await world.outsider();
    [organization, owner] = [outsider.organization, outsider];
    for (const name of names) await create({ name, organization_id: organization }, owner);
    await create({ name: '50%_off', organization_id: organization }, owner);
  });

  const list = (query: string) => owner.get(`/api/environments?orgID=${organization}&${query}`);
  const namesOf = (answer: { body: Json }): string[] => answer.body.environments.map((each: Json) => each.name);

  it('has pages of 20, newest first', async () => {
    const { body } = await list('');
    expect(body).toMatchObject({ page: 0, page_size: 20, total_count: 26 });
    expect(body.environments).toHaveLength(20);
    expect(body.environments[0].name).toBe('50%_off');
    expect(body).not.toHaveProperty('next_cursor');
  });

  it('answers past its end with an empty page and the right total', async () => {
    expect((await list('page=9')).body).toEqual({ page: 9, page_size: 20, total_count: 26, environments: [] });
  });

  it('refuses pages and sizes that are none', async () => {
    for (const query of ['page=-1', 'page=x', 'pagesize=0', 'pagesize=all&page=1', 'pagesize=-1', 'page=1.5'])
      expect({ query, status: (await list(query)).status }).toEqual({ query, status: 400 });
  });

  it('names every parameter that is wrong at once', async () => {
    const { status, body } = await list(
      `page=x&pagesize=0&order=owner&filter=${encodeURIComponent('{"status":5,"tier":6}')}`,
    );
    expect({ status, pointers: body.errors.map(({ pointer }: Json) => pointer) }).toEqual({
      status: 400,
      pointers: ['page', 'pagesize', 'order', 'filter', 'filter'],
    });
    expect(body.detail).toContain('page must be a whole number of at least 0; pagesize must be a whole number');
    const kinds = await world.admin.get('/api/integrations/connections/kinds?page=x&order=x&filter=x');
    expect(kinds.body.errors.map(({ pointer }: Json) => pointer)).toEqual(['page', 'order', 'filter']);
  });

  it('is ordered by the columns it allows and by nothing else', async () => {
    expect(namesOf(await list('order=name&pagesize=3'))).toEqual(['50%_off', 'n00', 'n01']);
    expect(namesOf(await list('order=name%20desc&pagesize=2'))).toEqual(['n24', 'n23']);
    for (const order of ['owner', 'name;drop table environment', 'name desc, id', 'name sideways', '(select 1)']) {
      const answer = await list(`order=${encodeURIComponent(order)}`);
      expect(answer).toMatchObject(problem(400, 'VALIDATION_FAILED', 'order'));
      expect(answer.body.detail).toContain('name, created_at, updated_at');
    }
  });

  it('searches a part of the name, without case, and takes wildcards literally', async () => {
    expect(namesOf(await list('search=N1&order=name'))).toEqual(names.filter((name) => name.startsWith('n1')));
    expect(namesOf(await list(`search=${encodeURIComponent('%_')}`))).toEqual(['50%_off']);
    expect((await list('search=&order=')).body.total_count).toBe(26);
    expect(namesOf(await list(`search=${encodeURIComponent("' OR 1=1 --")}`))).toEqual([]);
  });

  it('filters by JSON conditions', async () => {
    expect(namesOf(await list(`filter=${encodeURIComponent('{"name":"n03"}')}`))).toEqual(['n03']);
    expect(await list('filter={')).toMatchObject(problem(400, 'VALIDATION_FAILED', 'filter'));
    expect(await list('filter={"color":1}')).toMatchObject(problem(400, 'VALIDATION_FAILED', 'filter'));
    expect(await list('filter={"deleted_at":"yes"}')).toMatchObject(problem(400, 'VALIDATION_FAILED', 'filter'));
  });

  it('is walked whole by cursor, each record once', async () => {
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { status, body } = await list(`pagesize=7&order=name&cursor=${cursor}`);
      expect(status).toBe(200);
      expect(body.total_count).toBe(26);
      seen.push(...namesOf({ body }));
      cursor = body.next_cursor as string | null;
    }
    expect(seen).toEqual(['50%_off', ...names]);
  });

  it('takes no text that the database would choke on', async () => {
    const nul = encodeURIComponent('a\0b');
    const filter = encodeURIComponent(JSON.stringify({ name: 'a\0b' }));
    for (const query of [`search=${nul}`, `filter=${filter}`, `order=${nul}`, `cursor=${nul}`])
      expect(await world.admin.get(`/api/environments?${query}`)).toMatchObject(problem(400, 'VALIDATION_FAILED'));
  });

  it('takes no cursor but one it could have made', async () => {
    await create();
    await create();
    const first = await world.admin.get('/api/environments?pagesize=1&cursor=');
    const [walk, value, id, total] = JSON.parse(
      Buffer.from(first.body.next_cursor, 'base64url').toString(),
    ) as unknown[];
    const forged = [
      [walk, 'yesterday', id, total],
      [walk, '2026-99-99T00:00:00Z', id, total],
      [walk, value, '-'.repeat(36), total],
      [walk, value, id, -1],
    ];
    for (const parts of forged) {
      const cursor = Buffer.from(JSON.stringify(parts)).toString('base64url');
      expect(await world.admin.get(`/api/environments?pagesize=1&cursor=${cursor}`)).toMatchObject(
        problem(400, 'VALIDATION_FAILED', 'cursor'),
      );
    }
  });

  it('refuses a cursor together with a page, or of another walk', async () => {
    const { next_cursor } = (await list('pagesize=7&order=name&cursor=')).body;
    expect((await list(`cursor=${next_cursor}&order=name&page=0`)).status).toBe(400);
    expect((await list(`cursor=${next_cursor}&order=created_at`)).status).toBe(400);
    expect((await list(`cursor=${next_cursor}&order=name&search=x`)).status).toBe(400);
    expect((await list('cursor=garbage')).status).toBe(400);
  });
});

describe('the connections of an environment', () => {
  it('are mapped once, however often they are added', async () => {
    const environment = await create();
    const connection = await connect(environment);
    const path = `/api/environments/${environment.id}/connections/${connection.id}`;
    const [again, raced] = await Promise.all([world.admin.post(path), world.admin.post(path)]);
    expect(again.body.id).toBe(raced.body.id);
    expect(again.body).toMatchObject({
      environment_id: environment.id,
      connection_id: connection.id,
      deleted_at: null,
    });
    const { body } = await world.admin.get(`/api/environments/${environment.id}/connections`);
    expect(body).toMatchObject({ page: 0, page_size: 20, total_count: 1 });
    expect(body.connections[0]).toMatchObject({ id: connection.id, environments: [{ id: environment.id }] });
  });

  it('can be asked for those that are not assigned', async () => {
    const environment = await create();
    const connection = await connect(environment);
    const other = await connect(await create());
    const ids = async (filter: object) => {
      const query = `filter=${encodeURIComponent(JSON.stringify(filter))}&pagesize=500`;
      const { body } = await world.admin.get(`/api/environments/${environment.id}/connections?${query}`);
      return body.connections.map((each: Json) => each.id) as string[];
    };
    expect(await ids({ assigned: true })).toEqual([connection.id]);
    expect(await ids({ assigned: false })).toContain(other.id);
    expect(await ids({ assigned: false })).not.toContain(connection.id);
  });

  it('can be asked for those that were deleted while they were in it', async () => {
    const environment = await create();
    const [kept, deleted, removed] = [
      await connect(environment),
      await connect(environment),
      await connect(environment),
    ];
    const path = `/api/environments/${environment.id}/connections`;
    await world.admin.delete(`${path}/${removed.id}`);
    for (const { id } of [deleted, removed]) await world.admin.delete(`/api/integrations/connections/${id}`);
    const ids = async (filter: object) => {
      const { body } = await world.admin.get(`${path}?pagesize=500&filter=${JSON.stringify(filter)}`);
      return body.connections.map((each: Json) => each.id) as string[];
    };
    expect(await ids({})).toEqual([kept.id]);
    expect(await ids({ deleted_at: true })).toEqual([deleted.id]);
    expect(await ids({ deleted_at: true, assigned: false })).toContain(removed.id);
    expect(await ids({ deleted_at: true, assigned: false })).not.toContain(deleted.id);
    await world.admin.post(`/api/integrations/connections/${deleted.id}/restore`);
    expect(await ids({ deleted_at: true })).toEqual([]);
    expect((await ids({})).sort()).toEqual([kept.id, deleted.id].sort());
  });

  it('go without the connection being deleted', async () => {
    const environment = await create();
    const connection = await connect(environment);
    const path = `/api/environments/${environment.id}/connections/${connection.id}`;
    const removed = await world.admin.delete(path);
    expect(removed).toMatchObject({
      status: 200,
      body: { connection_id: connection.id, deleted_at: expect.any(String) },
    });
    expect((await world.admin.delete(path)).status).toBe(404);
    expect((await world.admin.get(`/api/integrations/connections/${connection.id}`)).status).toBe(200);
  });
});

describe('rights on environments', () => {
  it('give a stranger 401 and an outsider the very 404 of an id that does not exist', async () => {
    const { id } = await create();
    const stranger = await world.stranger.get(`/api/environments/${id}`);
    expect(stranger).toMatchObject(problem(401, 'UNAUTHENTICATED'));
    expect(stranger.headers.get('www-authenticate')).toBe('Bearer');
    const outsider = await world.outsider();
    const absent = randomUUID();
    const scrub = (answer: Json, used: string) =>
      JSON.stringify(answer.body).replaceAll(used, 'ID').replace(answer.body.request_id, 'REQUEST');
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', '/archive'],
      ['POST', '/restore'],
      ['GET', '/connections'],
    ] as const) {
      const body = method === 'PUT' ? { name: 'x' } : undefined;
      const hidden = await outsider.call(method, `/api/environments/${id}${path}`, { body });
      const none = await outsider.call(method, `/api/environments/${absent}${path}`, { body });
      expect({ path, status: hidden.status }).toEqual({ path, status: 404 });
      expect(scrub(hidden, id as string)).toBe(scrub(none, absent));
    }
    expect((await outsider.post('/api/environments', { name: 'x', organization_id: world.organization })).status).toBe(
      404,
    );
  });

  it('let members of a workspace see its environments, and not change them', async () => {
    const environment = await create();
    const connection = await connect(environment);
    const viewer = await world.person('member');
    expect((await viewer.get(`/api/environments/${environment.id}`)).status).toBe(404);
    const workspace = (await world.admin.post('/api/workspaces', { name: 'w', organization_id: world.organization }))
      .body;
    await world.admin.post(`/api/workspaces/${workspace.id}/environments/${environment.id}`);
    await world.admin.put(`/api/workspaces/${workspace.id}/members/${viewer.id}`, { role: 'viewer' });

    expect((await viewer.get(`/api/environments/${environment.id}`)).status).toBe(200);
    expect((await viewer.get('/api/environments')).body.environments.map((each: Json) => each.id)).toEqual([
      environment.id,
    ]);
    const connections = await viewer.get(`/api/environments/${environment.id}/connections`);
    expect(connections.body.connections.map((each: Json) => each.id)).toEqual([connection.id]);
    const refused = await viewer.put(`/api/environments/${environment.id}`, { name: 'mine' });
    expect(refused).toMatchObject(problem(403, 'FORBIDDEN'));
    expect((await viewer.post('/api/environments', { name: 'x', organization_id: world.organization })).status).toBe(
      403,
    );

    await world.admin.delete(`/api/workspaces/${workspace.id}/members/${viewer.id}`);
    expect((await viewer.get(`/api/environments/${environment.id}`)).status).toBe(404);
  });

  it('keep a workspace admin from assigning an environment that they do not rule', async () => {
    const environment = await create({ tier: 'production' });
    const shared = (await world.admin.post('/api/workspaces', { name: 'shared', organization_id: world.organization }))
      .body;
    await world.admin.post(`/api/workspaces/${shared.id}/environments/${environment.id}`);
    const member = await world.person('member');
    await world.admin.put(`/api/workspaces/${shared.id}/members/${member.id}`, { role: 'viewer' });
    const own = (await member.post('/api/workspaces', { name: 'own', organization_id: world.organization })).body;
    expect((await member.post(`/api/workspaces/${own.id}/environments/${environment.id}`)).status).toBe(403);
    await world.admin.put(`/api/workspaces/${shared.id}/members/${member.id}`, { role: 'admin' });
    expect((await member.post(`/api/workspaces/${own.id}/environments/${environment.id}`)).status).toBe(200);
  });
});

describe('environments over GraphQL', () => {
  it('are the same pages and records as over REST', async () => {
    const made = await create({ description: 'seen twice' });
    const { body } = await world.admin.graphql(
      `query ($org: ID!, $id: ID!, $search: String) {
        environments(orgID: $org, page: 0, pagesize: 5, search: $search, order: "name") {
          page page_size total_count environments { id name }
        }
        environment(id: $id) {
          id name description organization_id owner status tier required_approvals drift logs metadata schemaVersion created_at updated_at deleted_at
        }
      }`,
      { org: world.organization, id: made.id, search: made.name },
    );
    expect(body.errors).toBeUndefined();
    expect(body.data.environment).toEqual(made);
    expect(body.data.environments).toEqual({
      page: 0,
      page_size: 5,
      total_count: 1,
      environments: [{ id: made.id, name: made.name }],
    });
  });

  it('fail with the codes of REST', async () => {
    const outsider = await world.outsider();
    const { id } = await create();
    const hidden = await outsider.graphql('query ($id: ID!) { environment(id: $id) { id } }', { id });
    expect(hidden).toMatchObject({
      status: 200,
      body: { data: null, errors: [{ extensions: { code: 'NOT_FOUND' } }] },
    });
    const order = await world.admin.graphql('{ environments(order: "owner") { total_count } }');
    expect(order.body.errors[0]).toMatchObject({
      path: ['environments'],
      extensions: { code: 'VALIDATION_FAILED', errors: [{ pointer: 'order' }], request_id: expect.any(String) },
    });
    const anonymous = await world.stranger.graphql('{ __typename }');
    expect(anonymous).toMatchObject({
      status: 200,
      body: { data: null, errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] },
    });
    expect((await world.admin.graphql('{ nonsense }')).status).toBe(400);
  });
});
