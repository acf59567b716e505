import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { Actor } from '../src/core/access/actor.js';
import { runInRequestContext } from '../src/core/telemetry/request-context.js';
import { type Json, Person } from './support/person.js';
import { done, type People, peopleOf, WorkspaceScene } from './support/workspace-scene.js';
import { World } from './support/world.js';

let world: World;
beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

const SEARCHED_BY_NAME = [
  'connection',
  'credential',
  'deployment',
  'design',
  'environment',
  'filter',
  'team',
  'workspace',
];
const SEARCHED = [...SEARCHED_BY_NAME, 'member'].sort();
const COMMON = 10_001;

/** What the function of a table answers to a person, or to nobody, through a connection of the service. */
const candidates = async (
  person: Person | null,
  table: string,
  pattern: string,
  most = 10,
): Promise<string[] | null> => {
  const actor = person ? Actor.user({ id: person.id, email: person.email, installationAdmin: false }) : undefined;
  const [row] = await runInRequestContext({ requestId: 'test', ...(actor ? { actor } : {}) }, () =>
    world
      .get(DataSource)
      .query<{ ids: string[] | null }[]>(`SELECT search_${table}($1, $2, $3) AS ids`, [
        world.organization,
        pattern,
        most,
      ]),
  );
  return row?.ids ?? null;
};

const list = async (person: Person, query: string): Promise<Json> => {
  const { status, body } = await person.get(`/api/environments?orgID=${world.organization}&${query}`);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
};

const create = async (name: string): Promise<Json> =>
  (await world.admin.post('/api/environments', { name, organization_id: world.organization })).body;

describe('the search by a part of a name', () => {
  it('asks an index of organization and name, through a function that only the service may call', async () => {
    const indexes = await world.sql<{ tablename: string }>(
      `SELECT tablename FROM pg_indexes WHERE indexdef LIKE '%USING gin (organization_id, name gin_trgm_ops)' ORDER BY 1`,
    );
    expect(indexes.map(({ tablename }) => tablename)).toEqual(SEARCHED_BY_NAME);
    const functions = await world.sql<{ name: string; definer: boolean; fixed: boolean; everyone: boolean }>(
      `SELECT proname AS name, prosecdef AS definer, proconfig::text LIKE '%search_path=%' AS fixed,
              EXISTS (SELECT FROM aclexplode(proacl) WHERE grantee = 0) AS everyone
         FROM pg_proc WHERE proname LIKE 'search\\_%' AND pronamespace = 'public'::regnamespace ORDER BY 1`,
    );
    expect(functions).toEqual(
      SEARCHED.map((table) => ({ name: `search_${table}`, definer: true, fixed: true, everyone: false })),
    );
  });

  it('answers candidates to members of the organization only, and no more than are wanted', async () => {
    const made = [await create('candidate one'), await create('candidate two')];
    const outsider = await world.outsider();
    const member = await world.person('member');
    const ids = made.map(({ id }) => id as string).sort();
    expect((await candidates(world.admin, 'environment', '%CANDIDATE%'))?.sort()).toEqual(ids);
    expect((await candidates(member, 'environment', '%candidate%'))?.sort()).toEqual(ids);
    expect(await candidates(world.admin, 'environment', '%candidate%', 1)).toBeNull();
    for (const stranger of [outsider, null])
      for (const table of SEARCHED)
        expect({ table, ids: await candidates(stranger, table, '%%') }).toEqual({ table, ids: [] });
  });

  it('shows of the candidates what the caller sees', async () => {
    const seen = await create('Sight one');
    await create('Sight two');
    const { body: workspace } = await world.admin.post('/api/workspaces', {
      name: 'sight',
      organization_id: world.organization,
    });
    await world.admin.post(`/api/workspaces/${workspace.id}/environments/${seen.id}`);
    const viewer = await world.person('member');
    await world.admin.put(`/api/workspaces/${workspace.id}/members/${viewer.id}`, { role: 'viewer' });
    expect(await list(world.admin, 'search=sIGHT&order=name')).toMatchObject({ total_count: 2 });
    expect(await list(viewer, 'search=sIGHT')).toMatchObject({ total_count: 1, environments: [{ id: seen.id }] });
    expect(await list(viewer, '')).toMatchObject({ total_count: 1, environments: [{ id: seen.id }] });
    expect(await list(await world.person('member'), 'search=sight')).toMatchObject({ total_count: 0 });
  });

  it('finds parts of fewer than three letters, which no index knows, and more records than candidates are taken', async () => {
    await create('x§y');
    expect(await list(world.admin, `search=${encodeURIComponent('X§Y')}`)).toMatchObject({ total_count: 1 });
    await world.sql(
      `INSERT INTO environment (id, organization_id, name, owner)
       SELECT gen_random_uuid(), '${world.organization}', 'plentiful ' || i, '${world.admin.id}' FROM generate_series(1, ${COMMON}) i`,
    );
    expect(await list(world.admin, 'search=plentiful&pagesize=2')).toMatchObject({ total_count: COMMON });
    expect(await list(world.admin, 'search=plentiful%20777')).toMatchObject({ total_count: 11 });
    expect(await list(world.admin, 'search=plentiful&page=2&pagesize=2&order=name')).toMatchObject({
      total_count: COMMON,
      environments: [{ name: 'plentiful 5' }, { name: 'plentiful 6' }],
    });
    const first = await list(world.admin, 'search=plentiful&order=name&pagesize=2&cursor=');
    const second = await list(world.admin, `search=plentiful&order=name&pagesize=2&cursor=${first.next_cursor}`);
    expect(second.environments).toMatchObject([{ name: 'plentiful 3' }, { name: 'plentiful 4' }]);
    expect(await list(world.admin, 'search=plentiful%20777&page=1&pagesize=20')).toMatchObject({
      total_count: 11,
      environments: [],
    });
  });

  it('finds the records of one organization, whether it has most of all records or few of them', async () => {
    const other = await world.outsider();
    const name = 'plentiful 777 of another';
    const { body: made } = await other.post('/api/environments', { name, organization_id: other.organization });
    await world.sql('ANALYZE environment');
    const { body: small } = await other.get(`/api/environments?orgID=${other.organization}&search=plentiful%20777`);
    expect(small).toMatchObject({ total_count: 1, environments: [{ id: made.id }] });
    expect(await list(world.admin, 'search=plentiful%20777')).toMatchObject({ total_count: 11 });
    expect(await list(world.admin, 'search=777%20of%20another')).toMatchObject({ total_count: 0, environments: [] });
  });

  it('finds members by their address and by their name, teams and credentials by theirs', async () => {
    const orgs = '/api/identity/orgs';
    const organization_id = world.organization;
    const { body: ada } = await world.admin.post(`${orgs}/${organization_id}/users`, {
      email: 'countess@example.org',
      first_name: 'Ada',
      last_name: 'Lovelace',
      role: 'member',
      password: 'correct horse battery',
    });
    const { body: team } = await world.admin.post(`${orgs}/${organization_id}/teams`, { name: 'Analysts' });
    await world.admin.post('/api/integrations/credentials', {
      name: 'Engine room',
      type: 'token',
      secret: { token: 'x' },
      organization_id,
    });
    const outsider = await world.outsider();
    for (const pattern of ['%COUNTESS%', '%a lovel%'])
      expect(await candidates(world.admin, 'member', pattern)).toEqual([ada.id]);
    expect(await candidates(outsider, 'member', '%COUNTESS%')).toEqual([]);
    const found = async (path: string): Promise<number> => (await world.admin.get(path)).body.total_count as number;
    for (const [search, count] of [
      ['Countess', 1],
      ['ada%20love', 1],
      [outsider.email, 0],
    ])
      expect([search, await found(`${orgs}/${organization_id}/users?search=${search}`)]).toEqual([search, count]);
    expect(await candidates(world.admin, 'team', '%analy%')).toEqual([team.id]);
    expect(await found(`${orgs}/${organization_id}/teams?search=analysts`)).toBe(1);
    const credentials = `/api/integrations/credentials?orgID=${organization_id}&search=engine`;
    expect(await found(credentials)).toBe(1);
    expect((await (await world.person('member')).get(credentials)).body.total_count ?? 0).toBe(0);
  });

  it('goes on with a walk while records that match come', async () => {
    for (const name of ['walked 1', 'walked 2', 'walked 3']) await create(name);
    const first = await list(world.admin, 'search=walked&order=name&pagesize=2&cursor=');
    await create('walked 4');
    const rest = await list(world.admin, `search=walked&order=name&pagesize=2&cursor=${first.next_cursor}`);
    expect(rest.environments.map(({ name }: Json) => name)).toEqual(['walked 3', 'walked 4']);
    expect(rest.next_cursor).toBeNull();
  });
});

describe('over all workspaces', () => {
  let people: People;
  let scene: WorkspaceScene;
  let environment: Json;
  let connection: Json;
  let design: Json;

  beforeAll(async () => {
    people = await peopleOf(world);
    scene = await WorkspaceScene.make(world, people);
    environment = await scene.environment({ name: 'Orchard' });
    connection = await scene.cluster(environment, 'https://127.0.0.1:9');
    design = await scene.design(world.admin, 'orchard-shop');
  });

  /** A deployment of the design, as it is kept. */
  const deployment = async (fields: Record<string, unknown> = {}): Promise<string> => {
    const row = {
      id: randomUUID(),
      organization_id: world.organization,
      workspace_id: scene.id,
      design_id: design.id as string,
      design_version: 1,
      environment_id: environment.id as string,
      connection_ids: [connection.id],
      name: 'orchard-shop',
      action: 'deploy',
      status: 'succeeded',
      finished_at: new Date(),
      ...fields,
    };
    const names = Object.keys(row);
    await world.sql(
      `INSERT INTO deployment (${names.join(', ')}) VALUES (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
      Object.values(row),
    );
    return row.id;
  };
  const resource = async (name: string, fields: Record<string, unknown> = {}): Promise<string> => {
    const id = randomUUID();
    const row = { design_id: null, environment_id: null, health: null, ...fields };
    await world.sql(
      `INSERT INTO cluster_resource (id, organization_id, connection_id, api_version, kind, namespace, name, uid, resource_version,
         labels, content, omitted, created_at, updated_at, design_id, environment_id, health)
       VALUES ($1, $2, $3, 'apps/v1', 'Deployment', 'default', $4, $5, '1', '{}', '{}', '{}', now(), now(), $6, $7, $8)`,
      [id, world.organization, connection.id, name, id, row.design_id, row.environment_id, row.health],
    );
    return id;
  };

  describe('the search', () => {
    const search = async (person: Person, q: string): Promise<Json[]> => {
      const { status, body } = await person.get(`/api/search?q=${encodeURIComponent(q)}`);
      expect(status).toBe(200);
      return body.results as Json[];
    };
    const namesOf = (results: Json[]): string[] => results.map(({ type, name }) => `${type} ${name}`);

    it('finds exact names before beginnings before parts, each type with the address of its screen', async () => {
      const deployed = await deployment({ name: 'orchard' });
      const first = await resource('orchard-web');
      const part = await resource('the-orchard');
      expect(await search(world.admin, ' ORCHARD ')).toEqual([
        { type: 'deployment', id: deployed, name: 'orchard', workspace_id: scene.id, path: `/deployments/${deployed}` },
        {
          ...{ type: 'environment', id: environment.id, name: 'Orchard', workspace_id: null },
          path: `/environments/${environment.id}`,
        },
        {
          ...{ type: 'design', id: design.id, name: 'orchard-shop', workspace_id: scene.id },
          path: `/designs/${design.id}`,
        },
        ...[first, part].map((id, index) => ({
          ...{ type: 'resource', id, name: ['orchard-web', 'the-orchard'][index], workspace_id: null },
          path: `/timeline?connection_id=${connection.id}&kind=Deployment&namespace=default&name=${['orchard-web', 'the-orchard'][index]}`,
        })),
      ]);
      expect(namesOf(await search(world.admin, 'or'))).toEqual([
        'design orchard-shop',
        'deployment orchard',
        'environment Orchard',
        'resource orchard-web',
      ]);
      expect(namesOf(await search(world.admin, connection.name as string))).toEqual([`connection ${connection.name}`]);
      const [workspace] = await search(world.admin, scene.workspace.name as string);
      expect(workspace).toMatchObject({ type: 'workspace', workspace_id: scene.id, path: `/workspaces/${scene.id}` });
    });

    it('takes signs of patterns as they are, and needs a text', async () => {
      await resource('a_b%c\\d');
      expect(namesOf(await search(world.admin, '_b%c\\'))).toEqual(['resource a_b%c\\d']);
      expect(await search(world.admin, 'x_b%c')).toEqual([]);
      for (const q of ['', '%20', '&q=a&q=b', 'x'.repeat(501)])
        expect((await world.admin.get(`/api/search?q=${q}`)).status).toBe(400);
      expect((await world.admin.get('/api/search')).status).toBe(400);
      expect((await world.stranger.get('/api/search?q=orchard')).status).toBe(401);
    });

    it('shows each caller what they may read now, and the same whatever is hidden from them', async () => {
      const found = namesOf(await search(people.viewer, 'orchard'));
      expect(found).toEqual(namesOf(await search(world.admin, 'orchard')));
      for (const person of [people.outsider, people.member]) expect(await search(person, 'orchard')).toEqual([]);
      const other = await WorkspaceScene.make(world, people);
      for (let count = 0; count < 12; count += 1) await other.design(world.admin, `orchard ${count}`);
      await done(world.admin.delete(`${other.path}/members/${people.viewer.id}`));
      expect(namesOf(await search(people.viewer, 'orchard'))).toEqual(found);
      expect((await search(world.admin, 'orchard')).filter(({ type }) => type === 'design')).toHaveLength(10);
      await done(world.admin.delete(`${scene.path}/members/${people.viewer.id}`));
      expect(await search(people.viewer, 'orchard')).toEqual([]);
      await done(world.admin.put(`${scene.path}/members/${people.viewer.id}`, { role: 'viewer' }));
      for (const design of (await search(world.admin, 'orchard ')).filter(({ type }) => type === 'design'))
        await done(world.admin.delete(`/api/pattern/${design.id}`));
    });
  });

  describe('favourites', () => {
    const FAVOURITES = '/api/identity/users/favourites';
    const list = async (person: Person): Promise<Json[]> => (await person.get(FAVOURITES)).body.favourites as Json[];

    it('are added, listed with their addresses and removed, by each user for themselves', async () => {
      const path = `${FAVOURITES}/design/${design.id}`;
      for (let count = 0; count < 2; count += 1) expect((await people.viewer.put(path)).status).toBe(204);
      expect((await people.viewer.put(`${FAVOURITES}/environment/${environment.id}`)).status).toBe(204);
      expect(await list(people.viewer)).toEqual([
        { type: 'design', id: design.id, name: 'orchard-shop', path: `/designs/${design.id}` },
        { type: 'environment', id: environment.id, name: 'Orchard', path: `/environments/${environment.id}` },
      ]);
      expect(await list(people.editor)).toEqual([]);
      for (let count = 0; count < 2; count += 1) expect((await people.viewer.delete(path)).status).toBe(204);
      expect((await list(people.viewer)).map(({ type }) => type as string)).toEqual(['environment']);
    });

    it('are of what one sees: anything else is not found, and left out once it is hidden', async () => {
      for (const path of [`environment/${environment.id}`, `design/${randomUUID()}`, `resource/${design.id}`])
        for (const method of ['PUT', 'DELETE'])
          expect(await people.member.call(method, `${FAVOURITES}/${path}`)).toMatchObject({
            status: 404,
            body: { code: 'NOT_FOUND' },
          });
      expect((await people.viewer.put(`${FAVOURITES}/secret/${design.id}`)).status).toBe(400);
      expect((await people.viewer.put(`${FAVOURITES}/design/x`)).status).toBe(400);
      await done(world.admin.delete(`${scene.path}/members/${people.viewer.id}`));
      expect(await list(people.viewer)).toEqual([]);
      await done(world.admin.put(`${scene.path}/members/${people.viewer.id}`, { role: 'viewer' }));
      expect(await list(people.viewer)).toHaveLength(1);
    });

    it('are at most 200', async () => {
      await world.sql(
        `INSERT INTO favourite (user_id, type, record_id) SELECT $1, 'design', gen_random_uuid() FROM generate_series(1, 200)`,
        [people.editor.id],
      );
      expect(await people.editor.put(`${FAVOURITES}/design/${design.id}`)).toMatchObject({
        status: 409,
        body: { code: 'QUOTA_EXCEEDED' },
      });
    });
  });

  describe('what needs attention', () => {
    const attention = async (person: Person, query = ''): Promise<Json[]> => {
      const { status, body } = await person.get(`/api/attention${query}`);
      expect(status).toBe(200);
      return body.items as Json[];
    };
    const kindsOf = (items: Json[]): string[] => items.map(({ kind }) => kind as string).sort();
    const hour = (count: number): Date => new Date(Date.now() - count * 3_600_000);

    beforeAll(async () => {
      await world.sql('DELETE FROM deployment');
      await world.sql('DELETE FROM cluster_resource');
      await world.sql(`UPDATE connection SET status = 'connected' WHERE status IN ('disconnected', 'not found')`);
    });

    it('is shown to whoever may read what it is about, the latest first', async () => {
      const failure = { status: 502, code: 'CLUSTER_UNREACHABLE', detail: 'the cluster did not answer' };
      await deployment({ status: 'failed', failure, finished_at: hour(9), created_at: hour(9) });
      const failed = await deployment({ status: 'rolled_back', failure, finished_at: hour(4), created_at: hour(4) });
      await deployment({ status: 'cancelled', finished_at: hour(3), created_at: hour(3) });
      const elsewhere = await scene.environment({ name: 'Grove' });
      await deployment({ status: 'failed', environment_id: elsewhere.id, finished_at: hour(8), created_at: hour(8) });
      const current = await deployment({
        environment_id: elsewhere.id as string,
        created_at: hour(7),
        finished_at: hour(7),
      });
      const at = [design.id, connection.id, elsewhere.id, world.organization];
      await world.sql(
        `INSERT INTO deployed_design (design_id, connection_id, environment_id, organization_id, workspace_id, deployment_id, design_version)
         VALUES ($1, $2, $3, $4, $5, $6, 1)`,
        [...at, scene.id, current],
      );
      for (const name of ['web', 'db'])
        await resource(name, { design_id: design.id, environment_id: elsewhere.id, health: 'Degraded' });
      await resource('fine', { design_id: design.id, environment_id: elsewhere.id, health: 'Healthy' });
      await resource('foreign', { health: 'Degraded' });
      await world.sql(
        `INSERT INTO deployed_drift (design_id, connection_id, environment_id, organization_id, deployment_id, status, checked_at)
         VALUES ($1, $2, $3, $4, $5, 'drifted', $6)`,
        [...at, current, hour(1)],
      );
      await world.sql(`UPDATE connection SET status = 'disconnected', updated_at = $2 WHERE id = $1`, [
        connection.id,
        hour(2),
      ]);
      const about = { workspace_id: scene.id, environment_id: environment.id };
      const items = await attention(people.viewer);
      expect(items).toMatchObject([
        {
          kind: 'degraded',
          subject: { type: 'deployment', id: current, name: 'orchard-shop' },
          environment_id: elsewhere.id,
          reason: 'Deployment db is degraded, and 1 more',
        },
        { kind: 'drifted', subject: { id: current }, reason: expect.any(String) },
        { kind: 'connection', subject: { type: 'connection', id: connection.id }, workspace_id: null },
        { kind: 'failed', ...about, subject: { id: failed }, reason: 'the cluster did not answer' },
      ]);
      expect(await attention(world.admin, `?orgID=${world.organization}`)).toEqual(items);
      for (const person of [people.member, people.outsider]) expect(await attention(person)).toEqual([]);
      expect((await people.outsider.get(`/api/attention?orgID=${world.organization}`)).status).toBe(404);
    });

    it('has approvals for those who may give them, and webhooks for those who may read them', async () => {
      await done(
        people.admin.post(`${scene.path}/webhooks`, { url: 'https://hooks.example/secret?key=1', events: ['*'] }),
      );
      await world.sql(`UPDATE webhook SET failing_since = now() WHERE workspace_id = $1`, [scene.id]);
      await deployment({
        ...{ status: 'pending_approval', finished_at: null, requested_by: people.admin.id },
        ...{ approval_expires_at: new Date(Date.now() + 60_000), options: { reason: 'the autumn sale' } },
      });
      const besides = ['connection', 'degraded', 'drifted', 'failed'];
      expect(kindsOf(await attention(people.viewer))).toEqual(besides);
      expect(kindsOf(await attention(people.editor))).toEqual(besides);
      expect(kindsOf(await attention(people.admin))).toEqual([...besides, 'webhook'].sort());
      const items = await attention(world.admin);
      expect(kindsOf(items)).toEqual([...besides, 'approval', 'webhook'].sort());
      expect(items.find(({ kind }) => kind === 'approval')).toMatchObject({ reason: 'the autumn sale' });
      expect(items.find(({ kind }) => kind === 'webhook').subject.name).not.toContain('key=1');
      const { body } = await world.admin.post('/api/identity/tokens', {
        name: randomUUID(),
        scopes: ['read', 'write'],
      });
      const narrow = new Person(world.baseUrl, body.token as string);
      expect(kindsOf(await attention(narrow))).not.toContain('approval');
    });

    it('has environments while they are frozen, and walks by a cursor, over GraphQL too', async () => {
      const freezes = `/api/environments/${environment.id}/freezes`;
      const window = { starts_at: hour(5).toISOString(), ends_at: hour(-5).toISOString() };
      await done(world.admin.post(freezes, { name: 'sale', message: 'autumn sale', ...window }));
      await done(
        world.admin.post(freezes, {
          name: 'later',
          starts_at: hour(-6).toISOString(),
          ends_at: hour(-7).toISOString(),
        }),
      );
      const all = await attention(people.viewer);
      expect(all.find(({ kind }) => kind === 'frozen')).toEqual({
        ...{ kind: 'frozen', since: window.starts_at, workspace_id: null, environment_id: environment.id },
        ...{ subject: { type: 'environment', id: environment.id, name: 'Orchard' } },
        reason: `frozen until ${window.ends_at}: autumn sale`,
      });
      const walked: Json[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const { body }: { body: Json } = await people.viewer.get(`/api/attention?pagesize=2&cursor=${cursor}`);
        expect(body.total_count).toBe(all.length);
        walked.push(...(body.items as Json[]));
        cursor = body.next_cursor as string | null;
      }
      expect(walked).toEqual(all);
      const asked = await people.viewer.graphql(
        '{ attention(pagesize: 2, page: 1) { total_count items { kind since subject { type id name } workspace_id environment_id reason } } }',
      );
      expect(asked.body.data.attention).toEqual({ total_count: all.length, items: all.slice(2, 4) });
    });
  });
});
