import { randomUUID } from 'node:crypto';
import type { Json, Person } from './support/person.js';
import { World } from './support/world.js';

let world: World;

beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

const create = async (person: Person, fields: Record<string, unknown> = {}): Promise<Json> => {
  const { status, body } = await person.post('/api/environments', {
    name: `env ${randomUUID()}`,
    organization_id: world.organization,
    ...fields,
  });
  expect(status).toBe(201);
  return body;
};

describe('an environment', () => {
  it('is created, read, changed and deleted', async () => {
    const { admin } = world;
    const made = await create(admin, { name: 'staging', description: 'for trials', tier: 'staging' });
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

    const read = await admin.get(`/api/environments/${made.id}?orgID=${world.organization}`);
    expect(read).toMatchObject({ status: 200, body: made });

    const changed = await admin.put(`/api/environments/${made.id}`, { description: null });
    expect(changed).toMatchObject({ status: 200, body: { name: 'staging', description: '' } });

    const deleted = await admin.delete(`/api/environments/${made.id}`);
    expect(deleted).toMatchObject({ status: 200, body: { id: made.id } });
    expect((await admin.get(`/api/environments/${made.id}`)).status).toBe(404);
  });

  it('comes back from deletion', async () => {
    const { admin } = world;
    const { id } = await create(admin);
    await admin.delete(`/api/environments/${id}`);
    const trash = await admin.get('/api/environments?filter={"deleted_at":true}&pagesize=500');
    expect(trash.body.environments.map((each: Json) => each.id)).toContain(id);
    const restored = await admin.post(`/api/environments/${id}/restore`);
    expect(restored).toMatchObject({ status: 200, body: { id, status: 'active', deleted_at: null } });
    expect((await admin.get(`/api/environments/${id}`)).status).toBe(200);
  });
});
