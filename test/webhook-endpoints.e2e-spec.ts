import type { Json } from './support/person.js';
import { done, peopleOf, type People, WorkspaceScene } from './support/workspace-scene.js';
import { World } from './support/world.js';

const URL = 'http://127.0.0.1:9/hook';
let world: World;
let people: People;
let scene: WorkspaceScene;

beforeAll(async () => {
  world = await World.start({ OUTBOUND_ALLOW: '127.0.0.0/8' });
  people = await peopleOf(world);
  scene = await WorkspaceScene.make(world, people);
});
afterAll(() => world.stop());

const hooks = (): string => `${scene.path}/webhooks`;
const create = (fields: Json) => people.admin.post(hooks(), { url: URL, events: ['design.created'], ...fields });

describe('an endpoint', () => {
  it('is cleared of what null is sent for', async () => {
    const headers = { 'X-Token': 'canary' };
    const made = await done(create({ description: 'd', severities: ['error'], headers, routing_key: 'R'.repeat(32) }));
    const path = `${hooks()}/${made.id}`;
    const cleared = await done(people.admin.put(path, { description: null, severities: null, headers: null }));
    expect(cleared).toMatchObject({ description: '', severities: [], header_names: [] });
    await done(people.admin.put(path, { format: 'pagerduty' }));
    expect(await people.admin.put(path, { routing_key: null })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/routing_key' }] },
    });
    await done(people.admin.put(path, { routing_key: null, format: 'slack' }));
    expect((await people.admin.put(path, { format: 'pagerduty' })).status).toBe(400);
    const bare = await done(create({ description: null, severities: null, headers: null, routing_key: null }));
    expect(bare).toMatchObject({ description: '', severities: [], header_names: [] });
  });

  it('is not made with fields that cannot be written, but with the owner that the path names', async () => {
    expect(await create({ id: made(), failing_since: '2026-01-01T00:00:00Z' })).toMatchObject({
      status: 400,
      body: { code: 'READ_ONLY_FIELD', errors: [{ pointer: '/id' }, { pointer: '/failing_since' }] },
    });
    expect((await create({ workspace_id: made() })).status).toBe(400);
    await done(create({ workspace_id: scene.id, organization_id: world.organization }));
  });

  it('takes back its current secret from those who may rotate it, who learn nothing more by it, and refuses any other', async () => {
    const made = await done(create({}));
    const path = `${hooks()}/${made.id}`;
    expect((await people.admin.put(path, made)).status).toBe(200);
    const rotated = await done(people.admin.post(`${path}/rotate`));
    expect((await people.admin.put(path, rotated)).status).toBe(200);
    const secret = rotated.secret as string;
    const others = [made.secret, secret.slice(0, -1), `${secret}=`, '', 0, { secret }].map((other) => ({
      secret: other,
    }));
    const refusals = [];
    for (const other of others) {
      const { status, body } = await people.admin.put(path, other);
      refusals.push({ ...body, status, request_id: '' });
    }
    expect(refusals[0]).toMatchObject({ status: 400, code: 'READ_ONLY_FIELD', errors: [{ pointer: '/secret' }] });
    expect(new Set(refusals.map((refusal) => JSON.stringify(refusal))).size).toBe(1);
    for (const person of [people.editor, people.viewer]) {
      const [right, wrong] = [await person.put(path, { secret }), await person.put(path, { secret: 'whsec_' })];
      expect(right).toMatchObject({ status: 403 });
      expect({ ...right.body, request_id: '' }).toEqual({ ...wrong.body, request_id: '' });
    }
  });

  it.each([
    [{ Host: 'x' }, 'must not have Host'],
    [{ 'X-A': 'a', 'x-a': 'b' }, 'must have x-a once'],
    [{ 'a b': 'c' }, 'must not have "a b"'],
    [{ 'X-A': 'line\r\nX-B: more' }, 'in X-A'],
    [{ 'X-A': '日本' }, 'in X-A'],
    [{ 'X-A': 1 }, 'the value of X-A'],
    [{ 'X-A': 'a'.repeat(4_097) }, 'the value of X-A'],
    [Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`x-${n}`, ''])), 'at most 20'],
  ])('with the headers %j is refused with what is wrong with which', async (headers, detail) => {
    expect(await create({ headers })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/headers', detail: expect.stringContaining(detail) }] },
    });
  });

  it('is disabled by sending back what was read, although its address is refused by now', async () => {
    const made = await done(create({}));
    const path = `${hooks()}/${made.id}`;
    await world.sql(`UPDATE webhook SET url = 'http://10.0.0.1/hook' WHERE id = $1`, [made.id]);
    const read = await done(people.admin.get(path));
    expect(await people.admin.put(path, { ...read, enabled: false })).toMatchObject({
      status: 200,
      body: { enabled: false },
    });
    expect((await people.admin.put(path, { url: 'http://10.0.0.1/other' })).body.code).toBe('OUTBOUND_REFUSED');
  });

  it('with kinds of which one is none is refused with its name', async () => {
    expect(await create({ events: ['design.created', 'no.such', 'design.*'] })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/events', detail: expect.stringContaining('not "no.such"') }] },
    });
  });

  it('says of severities that they are a list, and keeps each once', async () => {
    expect(await create({ severities: 'error' })).toMatchObject({
      body: { errors: [{ pointer: '/severities', detail: 'must be a list of severities' }] },
    });
    expect(await done(create({ severities: ['error', 'error'] }))).toMatchObject({ severities: ['error'] });
  });
});

it('an organization never has more than 1,000 endpoints, however many are registered at once', async () => {
  const path = `/api/identity/orgs/${world.organization}/webhooks`;
  const first = await done(world.admin.post(path, { url: URL, events: ['design.created'] }));
  const columns = 'organization_id, owner, url, events, severities, format, enabled, secrets, starts_after';
  await world.sql(
    `INSERT INTO webhook (id, ${columns}) SELECT gen_random_uuid(), ${columns} FROM webhook, generate_series(1, 994) WHERE id = $1`,
    [first.id],
  );
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => world.admin.post(path, { url: URL, events: ['design.created'] })),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
  expect(answers.filter(({ body }) => body.code === 'QUOTA_EXCEEDED')).toHaveLength(15);
  expect((await done(world.admin.get(`${path}?pagesize=1`))).total_count).toBe(1_000);
});

const made = (): string => '01a217f3-ee09-746c-8c28-a2dfeb95855d';
