import { Access } from '../src/core/access/access.js';
import type { Json } from './support/person.js';
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
});
