import { WorkspaceScene, done, NEW_DESIGN, peopleOf } from './support/workspace-scene.js';
import type { Json, Person } from './support/person.js';
import { World } from './support/world.js';

const MANIFEST = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

it('combines bursts, counted as a whole', async () => {
  const people = await peopleOf(world);
  const scene = await WorkspaceScene.make(world, people);
  const { editor, viewer, admin } = people;
  await done(editor.put('/api/identity/users/profile', { first_name: 'alice' }));
  for (let n = 0; n < 12; n++)
    await done(editor.upload('/api/pattern/import', `d${n}.yaml`, MANIFEST, { workspace_id: scene.id }));
  await done(admin.put(scene.path, { description: 'in between' }));
  const { id } = await scene.design(editor, 'alone');
  const activity = async (query: string): Promise<Json> => done(viewer.get(`${scene.path}/activity?${query}`));
  const page = await activity('pagesize=5');
  expect(page.events).toHaveLength(5);
  expect(page.groups).toEqual([
    {
      description: 'alice imported 12 designs',
      ...{ category: 'design', action: 'imported', user_id: editor.id, count: 12 },
      ...{ first_at: expect.any(String), last_at: expect.any(String) },
      event_ids: page.events.slice(2).map((event: Json) => event.id),
    },
  ]);
  expect((await activity(`acted_upon=${id}`)).groups).toEqual([]);
  // A burst ends where nothing follows within ten minutes, and with its day: noon of another day is far from both.
  await world.sql(
    `WITH imported AS (SELECT id, row_number() OVER (ORDER BY sequence) AS place FROM event WHERE workspace_id = $1 AND action = 'imported')
     UPDATE event SET created_at = timestamptz '2026-01-01 12:00Z' + make_interval(mins => (CASE WHEN place <= 6 THEN 0 ELSE 30 END))
       FROM imported WHERE imported.id = event.id`,
    [scene.id],
  );
  const split = (await activity('action=imported&pagesize=100')).groups;
  expect(split.map(({ count }: Json) => count)).toEqual([6, 6]);
});

it('reports changes of the environments that are assigned, since they were', async () => {
  const people = await peopleOf(world);
  const scene = await WorkspaceScene.make(world, people);
  const { viewer, organizationAdmin } = people;
  const { id } = await scene.looseEnvironment();
  const path = `/api/environments/${id}`;
  await done(organizationAdmin.put(path, { description: 'before it was assigned' }));
  await done(world.admin.post(`${scene.path}/environments/${id}`));
  const connection = await done(
    organizationAdmin.post('/api/integrations/connections', {
      ...{ name: 'metrics', kind: 'prometheus', metadata: { url: 'http://metrics.example.org' } },
      organization_id: world.organization,
    }),
  );
  await done(organizationAdmin.put(path, { description: 'where it runs' }));
  await done(organizationAdmin.put(path, { tier: 'production' }));
  await done(organizationAdmin.post(`${path}/connections/${connection.id}`));
  await done(organizationAdmin.delete(`${path}/connections/${connection.id}`));
  await done(organizationAdmin.post(`${path}/archive`));
  await done(organizationAdmin.post(`${path}/restore`));
  const activity = async (query = '') => done(viewer.get(`${scene.path}/activity?order=sequence&${query}`));
  const { events, groups } = await activity(`acted_upon=${id}`);
  expect(events.map(({ category, action }: Json) => `${category}.${action}`)).toEqual([
    ...['environment.updated', 'environment.updated', 'environment.connection_added'],
    ...['environment.connection_removed', 'environment.archived', 'environment.restored'],
  ]);
  expect(groups).toMatchObject([{ category: 'environment', action: 'updated', count: 2 }]);
  expect((await viewer.get(`/api/events/${events[0].id}`)).status).toBe(200);
  expect((await activity('category=environment&pagesize=1')).total_count).toBe(6);
  await done(world.admin.delete(`${scene.path}/environments/${id}`));
  expect((await activity('category=environment')).total_count).toBe(0);
});

it('reports that an environment left a workspace because it was deleted, and that it is back when it is restored', async () => {
  const people = await peopleOf(world);
  const scene = await WorkspaceScene.make(world, people);
  const { id } = await scene.environment();
  await done(people.organizationAdmin.delete(`/api/environments/${id}`));
  await done(people.organizationAdmin.post(`/api/environments/${id}/restore`));
  const { events } = await done(people.viewer.get(`${scene.path}/activity?order=sequence&category=workspace`));
  expect(events.slice(-3)).toMatchObject([
    { action: 'environment_assigned', metadata: { environment_id: id } },
    { action: 'environment_unassigned', metadata: { environment_id: id }, acted_upon: scene.id },
    { action: 'environment_assigned', metadata: { environment_id: id } },
  ]);
  expect(await people.admin.delete(`${scene.path}/environments/${id}`)).toMatchObject({ status: 200 });
});

it('reports it to each of as many workspaces as an environment may be assigned to, and to none of another', async () => {
  const people = await peopleOf(world);
  const scene = await WorkspaceScene.make(world, people);
  const { id } = await scene.environment();
  await world.sql(
    `WITH made AS (
       INSERT INTO workspace (id, organization_id, name, owner)
       SELECT gen_random_uuid(), $1, 'workspace ' || n, $3 FROM generate_series(1, 9999) AS n RETURNING id)
     INSERT INTO workspace_environment (id, organization_id, workspace_id, environment_id)
     SELECT gen_random_uuid(), $1, id, $2 FROM made`,
    [world.organization, id, world.admin.id],
  );
  const other = await WorkspaceScene.make(world, people);
  expect(await world.admin.post(`${other.path}/environments/${id}`)).toMatchObject({
    status: 409,
    body: { code: 'QUOTA_EXCEEDED', detail: expect.stringContaining('10000 workspaces') },
  });
  expect((await world.admin.post(`${scene.path}/environments/${id}`)).status).toBe(200);
  const [before] = (await done(world.admin.get('/api/events?pagesize=1&order=sequence desc'))).events;
  await done(people.organizationAdmin.delete(`/api/environments/${id}`));
  const told = async (by: Person, action: string): Promise<Json> =>
    done(by.get(`/api/events?since=${before.sequence}&action=${action}`));
  expect((await told(people.organizationAdmin, 'environment_unassigned')).total_count).toBe(10_000);
  expect(await told(people.viewer, 'environment_unassigned')).toMatchObject({
    total_count: 1,
    events: [{ acted_upon: scene.id, metadata: { environment_id: id } }],
  });
  await done(people.organizationAdmin.post(`/api/environments/${id}/restore`));
  expect((await told(people.organizationAdmin, 'environment_assigned')).total_count).toBe(10_000);
  expect(await told(people.viewer, 'environment_assigned')).toMatchObject({ total_count: 1 });
}, 60_000);

it('reports a day of work in a workspace, in its order, to those who may read of it', async () => {
  const people = await peopleOf(world);
  const scene = await WorkspaceScene.make(world, people);
  const { admin, editor, viewer, member, organizationAdmin } = people;
  const activity = async (person = viewer) =>
    (await person.get(`${scene.path}/activity?pagesize=100&order=sequence`)).body;
  const before = (await activity()).total_count as number;

  const environment = await scene.environment();
  await done(admin.put(`${scene.path}/members/${member.id}`, { role: 'viewer' }));
  await done(admin.put(`${scene.path}/members/${member.id}`, { role: 'editor' }));
  const design = await done(editor.post('/api/pattern', { ...NEW_DESIGN, workspace_id: scene.id }));
  await done(editor.put('/api/pattern/yaml', { id: design.id, name: 'renamed', message: 'a better name' }));
  await done(organizationAdmin.put(`${scene.path}/quotas`, { max_designs: 50 }));
  await done(admin.put(scene.path, { description: 'where we work' }));
  await done(admin.delete(`/api/pattern/${design.id}`));
  await done(admin.post(`/api/pattern/${design.id}/restore`));
  await done(admin.delete(`${scene.path}/members/${member.id}`));
  await done(admin.post(`${scene.path}/archive`));
  await done(admin.post(`${scene.path}/restore`));

  const { events } = await activity();
  const reported = events.slice(before).map(({ category, action }: Json) => `${category}.${action}`);
  expect(reported).toEqual([
    'workspace.environment_assigned',
    'member.added',
    'member.role_changed',
    'design.created',
    'design.updated',
    'workspace.quota_changed',
    'workspace.updated',
    'design.deleted',
    'design.restored',
    'member.removed',
    'workspace.archived',
    'workspace.restored',
  ]);
  const created = events.find(({ acted_upon, action }: Json) => acted_upon === design.id && action === 'created');
  expect(created).toMatchObject({ user_id: editor.id, workspace_id: scene.id, severity: 'informational' });
  expect(environment.id).toBeDefined();
  expect((await people.outsider.get(`${scene.path}/activity`)).status).toBe(404);
  expect((await member.get(`${scene.path}/activity`)).status).toBe(404);
});
