import { DataSource } from 'typeorm';
import { ERROR_CODES } from '../src/core/errors/error-codes.js';
import type { Json } from './support/person.js';
import { World } from './support/world.js';

let world: World;
beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

const EXPLAINED = Object.values(ERROR_CODES).flatMap((codes) => codes.map(({ code }) => code));

let sent = 0;

/** Counts the statements that the server sends from now on. */
function countStatements(): void {
  const { driver } = world.get(DataSource) as unknown as { driver: { master: Json } };
  const counted = new WeakSet<object>();
  const connect = driver.master.connect.bind(driver.master);
  driver.master.connect = (callback: (error: unknown, client: Json, release: unknown) => void) =>
    connect((error: unknown, client: Json, release: unknown) => {
      if (client && !counted.has(client)) {
        counted.add(client);
        const query = client.query.bind(client);
        client.query = (...args: unknown[]) => {
          // The queue looks for work now and then, independently of callers.
          if (!/\bjob\b/.test(JSON.stringify(args[0]))) sent++;
          return query(...args);
        };
      }
      callback(error, client, release);
    });
}

async function statements(work: () => Promise<unknown>): Promise<number> {
  const before = sent;
  await work();
  return sent - before;
}

describe('GraphQL reads', () => {
  it('fetch a page of 20 workspaces with environments and their connections with a fixed number of statements', async () => {
    const { admin, organization } = world;
    const make = async (path: string, fields: object): Promise<Json> =>
      (await admin.post(path, { name: 'x', organization_id: organization, ...fields })).body;
    const connections = await Promise.all([1, 2, 3].map(() => make('/api/integrations/connections', { kind: 'x' })));
    const environments = await Promise.all([1, 2, 3].map(() => make('/api/environments', {})));
    const workspaces = await Promise.all(Array.from({ length: 20 }, () => make('/api/workspaces', {})));
    for (const environment of environments) {
      await Promise.all(
        connections.map(({ id }) => admin.post(`/api/environments/${environment.id}/connections/${id}`)),
      );
      await Promise.all(workspaces.map(({ id }) => admin.post(`/api/workspaces/${id}/environments/${environment.id}`)));
    }
    const ask = (size: number) =>
      admin.graphql(
        `query ($org: ID!, $size: Int!) { workspaces(orgID: $org, pagesize: $size) { total_count workspaces { id name environments { id name connections { id name kind } } } } }`,
        { org: organization, size },
      );
    const whole = await ask(20);
    expect(whole.body.errors).toBeUndefined();
    expect(whole.headers.get('cache-control')).toBe('no-store');
    const [first] = whole.body.data.workspaces.workspaces;
    expect(first.environments).toHaveLength(3);
    expect(first.environments[0].connections).toHaveLength(3);
    countStatements();
    await Promise.all([ask(1), ask(1), ask(1), ask(1), ask(1)]);
    // The least of some tries: what the server does by itself is counted, too.
    const least = async (size: number): Promise<number> => {
      let count = Infinity;
      for (let n = 0; n < 5; n++) count = Math.min(count, await statements(() => ask(size)));
      return count;
    };
    const many = await least(20);
    const few = await least(1);
    expect(many).toBe(few);
    expect(many).toBeLessThanOrEqual(8);
  }, 60_000);

  it('show in nested fields only what the caller may see', async () => {
    const { admin, organization } = world;
    const member = await world.person('member');
    const workspace = (await admin.post('/api/workspaces', { name: 'shared', organization_id: organization })).body;
    await admin.put(`/api/workspaces/${workspace.id}/members/${member.id}`, { role: 'viewer' });
    const { body } = await member.graphql(
      `query ($org: ID!) { workspaces(orgID: $org) { workspaces { id environments { id } } } environments(orgID: $org) { total_count } }`,
      { org: organization },
    );
    expect(body).toEqual({
      data: { workspaces: { workspaces: [{ id: workspace.id, environments: [] }] }, environments: { total_count: 0 } },
    });
  });
});

describe('a GraphQL request that cannot run', () => {
  it.each([
    ['a document that cannot be parsed', { query: '{' }],
    ['a field that does not exist', { query: '{ missing }' }],
    ['no document', {}],
    ['variables that are none', { query: '{ __typename }', variables: [] }],
    ['a variable that is missing', { query: 'query ($id: ID!) { environment(id: $id) { id } }' }],
    ['an operation that does not exist', { query: 'query A { __typename }', operationName: 'B' }],
    ['several at once', [{ query: '{ __typename }' }]],
  ])('is 400 with data null: %s', async (_, request) => {
    const { status, body } = await world.admin.post('/api/system/graphql/query', request);
    expect({ status, data: body.data }).toEqual({ status: 400, data: null });
    expect(body.errors[0]).toMatchObject({ message: expect.any(String), extensions: { code: expect.any(String) } });
    expect(EXPLAINED).toContain(body.errors[0].extensions.code);
  });

  it('is told to clients that send a hash in place of their document, so that they send it', async () => {
    const extensions = { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } };
    const { status, body } = await world.admin.post('/api/system/graphql/query', { extensions });
    expect({ status, code: body.errors[0].extensions.code }).toEqual({
      status: 200,
      code: 'PERSISTED_QUERY_NOT_SUPPORTED',
    });
    expect(EXPLAINED).toContain(body.errors[0].extensions.code);
  });
});

it('the schema shows every scalar of the interface', async () => {
  const { body } = await world.admin.graphql('{ __schema { types { name kind } } }');
  const scalars = (body.data.__schema.types as Json[]).filter(({ kind }) => kind === 'SCALAR');
  expect(scalars.map(({ name }) => name as string).sort()).toEqual([
    'Any',
    'Boolean',
    'Float',
    'ID',
    'Int',
    'Map',
    'String',
    'Time',
  ]);
});
