import { setTimeout as wait } from 'node:timers/promises';
import { aPackage } from '../src/registry/packages/package.fixture.js';
import type { Answer, Json } from './support/person.js';
import { World } from './support/world.js';

const CONNECTIONS = '/api/integrations/connections';
/** Others were answered only after 14 to 60 seconds when these were read on the event loop. */
const OTHERS_MS = 5_000;

let world: World;
beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

/** Asks again and again while a call runs, and answers how long others have waited at most. */
async function longestWaitDuring(call: Promise<Answer>): Promise<{ answer: Answer; longest: number }> {
  let isRunning = true;
  const ended = call.finally(() => (isRunning = false));
  let longest = 0;
  while (isRunning) {
    const since = performance.now();
    await world.stranger.get('/healthz/live');
    longest = Math.max(longest, performance.now() - since);
    await wait(10);
  }
  return { answer: await ended, longest };
}

const cluster = (fields: object = {}): object => ({
  name: 'cluster',
  kind: 'kubernetes',
  metadata: { server: 'https://cluster.example' },
  ...fields,
});

describe('a hostile kubeconfig', () => {
  const hostile: [string, string][] = [
    ['closing brackets', '}'.repeat(100_000)],
    ['anchors', `- ${'&a '.repeat(200_000)}`],
    ['lines below every bound', Array.from({ length: 9_500 }, (_, i) => `key${i}: ${'v'.repeat(90)}`).join('\n')],
  ];

  it.each(hostile)('of %s blocks no other caller, whatever route it comes through', async (_, kubeconfig) => {
    const { admin } = world;
    const { id } = (await admin.post(CONNECTIONS, cluster({ credential_secret: { token: 'x' } }))).body;
    const secret = { kubeconfig };
    const routes = [
      () => admin.post(CONNECTIONS, cluster({ credential_secret: secret })),
      () => admin.put(`${CONNECTIONS}/${id}`, { credential_secret: secret }),
      () => admin.post('/api/integrations/credentials', { name: 'c', type: 'kubernetes', secret }),
      () => admin.post('/api/system/kubernetes', { kubeconfig }),
    ];
    for (const route of routes) {
      const { answer, longest } = await longestWaitDuring(route());
      expect(answer).toMatchObject({ status: 400, body: { code: 'KUBECONFIG_INVALID' } });
      expect(longest).toBeLessThan(OTHERS_MS);
    }
  });

  it('is refused by its size before it is read', async () => {
    const { status, body } = await world.admin.post('/api/system/kubernetes', { kubeconfig: 'a'.repeat(1_100_000) });
    expect({ status, code: body.code, detail: body.detail }).toEqual({
      status: 400,
      code: 'KUBECONFIG_INVALID',
      detail: 'This is not a kubeconfig: it is longer than 1048576 characters',
    });
  });

  it('kept as a credential of another type is judged when a connection names it', async () => {
    const { admin } = world;
    const kept = await admin.post('/api/integrations/credentials', {
      name: 'odd',
      type: 'custom',
      secret: { kubeconfig: '}'.repeat(100_000) },
    });
    const call = admin.post(CONNECTIONS, cluster({ credential_id: kept.body.id }));
    const { answer, longest } = await longestWaitDuring(call);
    expect(answer).toMatchObject({ status: 400, body: { code: 'KUBECONFIG_INVALID' } });
    expect(longest).toBeLessThan(OTHERS_MS);
  });
});

describe('free fields', () => {
  const tooLong: [string, object][] = [
    ['an address of 200 kB', { url: `https://example.org/${'x'.repeat(200_000)}` }],
    ['an address of 3 kB in a list', { mirrors: [{ at: `https://example.org/${'x'.repeat(3_000)}` }] }],
    ['a name of 300 characters', { ['x'.repeat(300)]: 1 }],
    ['a text of 70 kB', { text: 'x'.repeat(70_000) }],
    ['300 kB in all', Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`k${n}`, 'x'.repeat(30_000)]))],
  ];

  it.each(tooLong)('are refused with %s, in every record that has them', async (_, metadata) => {
    const { admin, organization } = world;
    const paths: [string, object][] = [
      [CONNECTIONS, { name: 'a', kind: 'anything' }],
      ['/api/environments', { name: 'a', organization_id: organization }],
      ['/api/workspaces', { name: 'a', organization_id: organization }],
      ['/api/identity/orgs', { name: 'a' }],
    ];
    for (const [path, body] of paths) {
      const answer = await admin.post(path, { ...body, metadata });
      expect([path, answer.status, answer.body.errors[0].pointer]).toEqual([path, 400, '/metadata']);
    }
  });
});

describe('metadata and secrets', () => {
  it('are bounded in size and number of fields', async () => {
    const { admin } = world;
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`k${index}`, 1]));
    for (const [fields, pointer] of [
      [{ metadata: many }, '/metadata'],
      [{ metadata: { text: 'x'.repeat(300_000) } }, '/metadata'],
      [{ credential_secret: many }, '/credential_secret'],
    ] as const) {
      const { status, body } = await admin.post(CONNECTIONS, { name: 'large', kind: 'custom', ...fields });
      expect({ status, pointer: body.errors[0].pointer }).toEqual({ status: 400, pointer });
    }
  });
});

describe('a kind of connection that a package defines', () => {
  const schema = {
    $id: 'https://example.org/vault.json',
    type: 'object',
    required: ['address'],
    properties: { address: { type: 'string', pattern: '^(a+)+$' }, port: { type: 'integer', maximum: 65_535 } },
  };

  async function define(kind: string): Promise<void> {
    const definition = {
      schemaVersion: 'connections.meshery.io/v1beta1',
      kind,
      name: kind,
      connectionSchema: schema,
      credentialSchema: { $id: schema.$id, type: 'object', required: ['token'] },
    };
    const file = (await aPackage({ 'connection.json': definition })).toString('base64');
    const { status, body } = await world.admin.post('/api/meshmodels/register', { file, file_name: 'p.tar.gz' });
    expect({ status, body }).toMatchObject({ status: 200 });
  }

  const connect = (fields: object): Promise<Answer> => world.admin.post(CONNECTIONS, { name: 'vault', ...fields });

  it('keeps its schemas with every reload, also when they share an $id', async () => {
    for (const kind of ['vault', 'other']) {
      await define(kind);
      const { status, body } = await connect({
        kind: 'vault',
        metadata: { port: 70_000 },
        credential_secret: { a: 1 },
      });
      expect({ status, pointers: (body.errors as Json[]).map(({ pointer }: Json) => pointer as string) }).toEqual({
        status: 400,
        pointers: ['/metadata/address', '/metadata/port', '/credential_secret/token'],
      });
    }
    expect((await connect({ kind: 'vault', metadata: { address: 'aaa' } })).status).toBe(201);
  });

  it('cannot hold the server up with its patterns', async () => {
    await define('vault');
    const address = `${'a'.repeat(40)}!`;
    const { answer, longest } = await longestWaitDuring(connect({ kind: 'vault', metadata: { address } }));
    expect(answer.body.errors[0]).toMatchObject({ pointer: '/metadata/address' });
    expect(longest).toBeLessThan(OTHERS_MS);
  });
});
