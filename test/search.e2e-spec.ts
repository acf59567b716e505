import { DataSource } from 'typeorm';
import { Actor } from '../src/core/access/actor.js';
import { runInRequestContext } from '../src/core/telemetry/request-context.js';
import type { Json, Person } from './support/person.js';
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
