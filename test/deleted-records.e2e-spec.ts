import type { Json, Person } from './support/person.js';
import { done, type People, peopleOf, WorkspaceScene } from './support/workspace-scene.js';
import { proxyFilter } from '../src/filters/wasm/module.fixture.js';
import { World } from './support/world.js';

let world: World;
let people: People;
let scene: WorkspaceScene;
/** A deleted record of each kind, by the member of the envelope that lists it. */
const gone: Record<string, string> = {};

beforeAll(async () => {
  world = await World.start();
  people = await peopleOf(world);
  scene = await WorkspaceScene.make(world, people);
  const { admin, organization } = world;
  const environment = await scene.environment();
  const fields = { name: 'gone', organization_id: organization };
  const made: [plural: string, path: string, id: string][] = [];
  const design = await scene.design();
  await done(people.editor.put('/api/pattern/design', { id: design.id, visibility: 'organization' }));
  made.push(['patterns', '/api/pattern', design.id as string]);
  const filter = await done(people.editor.upload('/api/filter', 'a.wasm', proxyFilter(), { workspace_id: scene.id }));
  await done(people.editor.put(`/api/filter/${filter.id}`, { visibility: 'organization' }));
  made.push(['filters', '/api/filter', filter.id as string]);
  made.push(['environments', '/api/environments', (await scene.environment()).id as string]);
  const connection = await done(admin.post('/api/integrations/connections', { ...fields, kind: 'x' }));
  await done(admin.post(`/api/environments/${environment.id}/connections/${connection.id}`));
  made.push(['connections', '/api/integrations/connections', connection.id as string]);
  const credential = await done(
    admin.post('/api/integrations/credentials', { ...fields, type: 'x', secret: { a: 1 } }),
  );
  made.push(['credentials', '/api/integrations/credentials', credential.id as string]);
  made.push(['teams', `/api/identity/orgs/${organization}/teams`, (await scene.team()).id as string]);
  const other = await WorkspaceScene.make(world, people);
  made.push(['workspaces', '/api/workspaces', other.id]);
  for (const [plural, path, id] of made) {
    await done(admin.delete(`${path}/${id}`));
    gone[plural] = id;
  }
  lists.push(
    ['a workspace', `/api/workspaces/${scene.id}/designs`, 'patterns', 'admin'],
    ['a workspace', `/api/workspaces/${scene.id}/environments`, 'environments', 'nobody'],
    ['an environment', `/api/environments/${environment.id}/connections`, 'connections', 'organizationAdmin'],
    ['the organization', `/api/identity/orgs/${organization}/teams`, 'teams', 'nobody'],
  );
}, 60_000);
afterAll(() => world.stop());

type Restorer = 'admin' | 'organizationAdmin' | 'nobody';

/** Every list that could show a deleted record: whose, where, under which member, and who may restore what it lists. */
const lists: [of: string, path: string, plural: string, restorer: Restorer][] = [
  ['everywhere', '/api/pattern', 'patterns', 'admin'],
  ['everywhere', '/api/filter', 'filters', 'admin'],
  ['everywhere', '/api/environments', 'environments', 'organizationAdmin'],
  ['everywhere', '/api/integrations/connections', 'connections', 'organizationAdmin'],
  ['everywhere', '/api/workspaces', 'workspaces', 'admin'],
  ['everywhere', '/api/integrations/credentials', 'credentials', 'nobody'],
  ['the catalog', '/api/pattern/catalog', 'patterns', 'nobody'],
  ['the catalog', '/api/filter/catalog', 'filters', 'nobody'],
];

const RANKS = ['outsider', 'member', 'viewer', 'editor', 'admin', 'organizationAdmin', 'owner'] as const;
const mayRestore = (who: (typeof RANKS)[number], restorer: Restorer): boolean =>
  restorer !== 'nobody' && RANKS.indexOf(who) >= RANKS.indexOf(restorer);

/** Whether a list shows the deleted record of its kind; one that the caller may not ask, or that has no such condition, does not. */
async function shows(person: Person, path: string, plural: string, filter: string): Promise<boolean> {
  const query = new URLSearchParams({ filter, orgID: world.organization, pagesize: '500' });
  const { status, body } = await person.get(`${path}?${query.toString()}`);
  expect([200, 400, 403, 404]).toContain(status);
  return status === 200 && (body[plural] as Json[]).some(({ id }) => id === gone[plural]);
}

it('are listed only for those who may restore them, in every list', async () => {
  for (const [of, path, plural, restorer] of lists)
    for (const who of RANKS) {
      const seen = await shows(people[who], path, plural, '{"deleted_at":true}');
      expect({ of, plural, who, seen }).toEqual({ of, plural, who, seen: mayRestore(who, restorer) });
    }
});

it('are in no list that does not ask for them', async () => {
  for (const [of, path, plural] of lists)
    for (const who of RANKS)
      for (const filter of ['{}', '{"deleted_at":false}'])
        expect({ of, plural, who, seen: await shows(people[who], path, plural, filter) }).toMatchObject({
          seen: false,
        });
});

it('are listed by GraphQL for the same callers', async () => {
  for (const [plural, restorer] of [
    ['environments', 'organizationAdmin'],
    ['connections', 'organizationAdmin'],
    ['workspaces', 'admin'],
  ] as const)
    for (const who of RANKS) {
      const query = `query ($org: ID!) { ${plural}(orgID: $org, pagesize: 500, filter: "{\\"deleted_at\\":true}") { ${plural} { id } } }`;
      const { body } = await people[who].graphql(query, { org: world.organization });
      const found = (body.data?.[plural]?.[plural] ?? []) as Json[];
      const seen = found.some(({ id }) => id === gone[plural]);
      expect({ plural, who, seen }).toEqual({ plural, who, seen: mayRestore(who, restorer) });
    }
});

it('are restored by those who see them listed', async () => {
  expect((await people.editor.post(`/api/pattern/${gone['patterns']}/restore`)).status).toBe(403);
  expect((await people.admin.post(`/api/pattern/${gone['patterns']}/restore`)).status).toBe(200);
  expect((await people.admin.post(`/api/filter/${gone['filters']}/restore`)).status).toBe(200);
  expect((await people.organizationAdmin.post(`/api/environments/${gone['environments']}/restore`)).status).toBe(200);
});
