import { WorkspaceScene, done, NEW_DESIGN, peopleOf } from './support/workspace-scene.js';
import type { Json } from './support/person.js';
import { World } from './support/world.js';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

it('tells of a day of work in a workspace, in its order, to those who may read of it', async () => {
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
  const told = events.slice(before).map(({ category, action }: Json) => `${category}.${action}`);
  expect(told).toEqual([
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
