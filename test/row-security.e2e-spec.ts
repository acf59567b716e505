import { Access } from '../src/core/access/access.js';
import { Actor } from '../src/core/access/actor.js';
import { inRequest } from '../src/core/telemetry/request-context.js';
import { moduleOf } from '../src/filters/wasm/module.fixture.js';
import type { Json, Person } from './support/person.js';
import { done } from './support/workspace-scene.js';
import { World } from './support/world.js';

let world: World;
beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

describe('row-level security', () => {
  it('is on for every table of tenants', async () => {
    const open = await world.sql<{ table_name: string }>(
      `SELECT c.table_name FROM information_schema.columns c
         JOIN pg_class t ON t.relname = c.table_name AND t.relkind = 'r' AND NOT t.relrowsecurity
        WHERE c.table_schema = 'public' AND c.column_name = 'organization_id' ORDER BY 1`,
    );
    // Who belongs to what is asked before there is a caller, and what is sealed or a job holds no tenant's data in clear.
    const known = ['app_user', 'data_key', 'invitation', 'job', 'organization_member', 'team'];
    expect(open.map(({ table_name }) => table_name).filter((table) => !known.includes(table))).toEqual([]);
  });

  it("holds alone when the service's own check is gone", async () => {
    const { admin, organization } = world;
    const environment = (await admin.post('/api/environments', { name: 'secret', organization_id: organization })).body;
    const workspace = (await admin.post('/api/workspaces', { name: 'secret', organization_id: organization })).body;
    const connection = (
      await admin.post('/api/integrations/connections', {
        name: 'secret',
        kind: 'x',
        credential_secret: { a: 'b' },
        organization_id: organization,
      })
    ).body;
    const design = (
      await admin.upload('/api/pattern/import', 'd.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n', {
        workspace_id: workspace.id,
      })
    ).body;
    const outsider = await world.outsider();
    const member = await world.person('member');

    const access = world.get(Access);
    const checks = [
      jest.spyOn(access, 'onlyVisible').mockImplementation((rows) => rows),
      jest
        .spyOn(access, 'onlyVisibleIn')
        .mockImplementation((rows, alias, _type, _actor, organizationId) =>
          rows.andWhere(`${alias}.organization_id = :organizationId`, { organizationId }),
        ),
      jest.spyOn(access, 'onlyAdministered').mockImplementation((rows) => rows),
    ];
    try {
      for (const stranger of [outsider, member]) {
        for (const path of [
          `/api/environments/${environment.id}`,
          `/api/workspaces/${workspace.id}`,
          `/api/integrations/connections/${connection.id}`,
          `/api/integrations/credentials/${connection.credential_id}`,
          `/api/pattern/${design.id}`,
        ])
          expect({ path, status: (await stranger.get(path)).status }).toEqual({ path, status: 404 });
      }
      for (const [path, records] of Object.entries({
        '/api/environments': 'environments',
        '/api/workspaces': 'workspaces',
        '/api/integrations/connections': 'connections',
      })) {
        const mine = [environment.id, workspace.id, connection.id];
        const listed = (person: typeof admin) => person.get(`${path}?orgID=${organization}&pagesize=500`);
        const ids = (answer: Json) => answer.body[records].map((each: Json) => each.id);
        expect(ids(await listed(admin)).some((id: string) => mine.includes(id))).toBe(true);
        expect(ids(await listed(member)).filter((id: string) => mine.includes(id))).toEqual([]);
      }
      expect((await admin.get(`/api/environments/${environment.id}`)).status).toBe(200);
    } finally {
      for (const check of checks) check.mockRestore();
    }
  });

  it('shows a published filter to everyone who is signed in, and lets only its own organization write it', async () => {
    const { admin, organization } = world;
    const workspace = await done(admin.post('/api/workspaces', { name: 'filters', organization_id: organization }));
    const filter_data = { filter_file: moduleOf().toString('base64') };
    const ids: Record<string, string> = {};
    for (const visibility of ['workspace', 'organization', 'public', 'deleted']) {
      const body = { name: visibility, filter_data, workspace_id: workspace.id };
      const { id } = await done(admin.post('/api/filter', body));
      ids[visibility] = id as string;
      if (visibility === 'organization') await done(admin.put(`/api/filter/${id}`, { visibility }));
      const catalog_data = { content_class: 'community', type: 'Security' };
      if (visibility === 'public' || visibility === 'deleted')
        await done(admin.post('/api/filter/catalog/publish', { id, catalog_data }));
      if (visibility === 'deleted') await done(admin.delete(`/api/filter/${id}`));
    }
    const [outsider, member] = [await world.outsider(), await world.person()];
    const as = <T>(person: Person | null, work: () => Promise<T>): Promise<T> => {
      const actor = person ? Actor.user({ id: person.id, email: person.email, installationAdmin: false }) : undefined;
      return inRequest({ requestId: 'test', ...(actor ? { actor } : {}) }, work);
    };
    const seenBy = async (person: Person | null): Promise<string[]> => {
      const rows = await as(person, () => world.sql<{ name: string }>('SELECT name FROM filter ORDER BY name'));
      return rows.map(({ name }) => name);
    };
    const writtenBy = async (person: Person | null, id?: string): Promise<number> => {
      const change = `UPDATE filter SET name = name WHERE id = $1 RETURNING id`;
      const [rows] = await as(person, () => world.sql<unknown[]>(change, [id]));
      return rows?.length ?? 0;
    };
    expect(await seenBy(admin)).toEqual(['deleted', 'organization', 'public', 'workspace']);
    expect(await seenBy(member)).toEqual(['deleted', 'organization', 'public']);
    expect(await seenBy(outsider)).toEqual(['public']);
    expect(await seenBy(null)).toEqual([]);
    expect(await writtenBy(admin, ids['public'])).toBe(1);
    expect(await writtenBy(outsider, ids['public'])).toBe(0);
    expect(await writtenBy(null, ids['public'])).toBe(0);
    await done(admin.post(`/api/workspaces/${workspace.id}/archive`));
    expect(await seenBy(outsider)).toEqual([]);
    expect((await outsider.get(`/api/filter/${ids['public']}`)).status).toBe(404);
  });
});
