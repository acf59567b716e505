import { DataSource } from 'typeorm';
import { Access } from '../src/core/authorization/access.service.js';
import { Actor } from '../src/core/access/actor.js';
import { UnitOfWork } from '../src/core/database/unit-of-work.js';
import { EventBus } from '../src/core/events/event-bus.js';
import { runInRequestContext } from '../src/core/telemetry/request-context.js';
import type { Environment } from '../src/environments/environment.entity.js';
import { EnvironmentUpdated } from '../src/environments/environment.events.js';
import { EnvironmentsStore } from '../src/environments/environments.store.js';
import { moduleOf } from '../src/filters/wasm/module.fixture.js';
import type { Json, Person } from './support/person.js';
import { done } from './support/workspace-scene.js';
import { World } from './support/world.js';

let world: World;
beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

/**
 * Relations without policies, which the service only reads, and why everyone may. A view reads as its owner: it says
 * what may be known of records that the caller does not see.
 */
const READ_ONLY: Record<string, string> = {
  access_role: 'the policies ask who has which role',
  active_organization: 'that an organization exists',
  active_workspace: 'that a workspace exists',
  applied_script: 'the digests of scripts',
  installation: 'the id of this installation',
  migration: 'the names of migrations',
  published_design: 'what is published is for everyone who is signed in',
};

/** Tables that everyone reads. */
const PUBLIC_TABLES = [
  ...['component', 'component_schema', 'connection_definition', 'model', 'registered_package'],
  ...['registrant', 'registry_revision', 'relationship'],
];

/** Functions that the service executes with the rights of their owner; each checks by itself for whom it does so. */
const DEFINERS = [
  ...[
    'append_events',
    'audit_erase',
    'audit_prune',
    'event_erase',
    'event_erase_subject',
    'find_by_name',
    'kept_total',
    'kept_version',
  ],
  ...['connection', 'credential', 'deployment', 'design', 'environment', 'filter', 'member', 'team', 'workspace'].map(
    (name) => `search_${name}`,
  ),
  'writes_design',
];

/** What a trigger that is fired by the service executes with the rights of the owner. */
const DEFINER_TRIGGERS = /^(audit_(event|of_\w+)|count_(added|changed|removed))$/;

/** What a member may change or remove all the same: their own account, their own grants, the number of the next event. */
const OWN_NOTIFICATIONS = ['favourite', 'notification_settings', 'notification_mark', 'notification_position'];
const OWN_UPDATES = ['app_user', 'idempotency_key', 'event_counter', 'event_read', ...OWN_NOTIFICATIONS];
const OWN_DELETES = [
  'organization_member',
  'team_member',
  'workspace_member',
  'event_read',
  'idempotency_key',
  ...OWN_NOTIFICATIONS,
];

const actorOf = ({ id, email }: Person): Actor => Actor.user({ id, email, installationAdmin: false });

const as = <T>(person: Person | null, work: () => Promise<T>): Promise<T> => {
  const actor = person ? actorOf(person) : undefined;
  return runInRequestContext({ requestId: 'test', ...(actor ? { actor } : {}) }, work);
};

/** Runs a statement as a user and rolls it back; answers how many rows it matched, or the code of the error. */
const tried = (
  person: Person | null,
  statement: string,
  parameters: unknown[] = [],
  concerned = '',
): Promise<number | string> =>
  as(person, async () => {
    const runner = world.get(DataSource).createQueryRunner();
    await runner.startTransaction();
    try {
      await runner.query(`SELECT set_config('armature.organization', $1, true)`, [concerned]);
      const { affected, records } = await runner.query(statement, parameters, true);
      return affected ?? (records as unknown[]).length;
    } catch (error) {
      return (error as { code?: string }).code ?? String(error);
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
  });
const DENIED = '42501';

describe('row-level security', () => {
  it('has a policy for each command on every relation, or lets the service only read it, for a reason', async () => {
    const relations = await world.sql<{ name: string; secured: boolean; commands: string; rights: string[] }>(
      `SELECT c.relname AS name, c.relrowsecurity AS secured,
              (SELECT coalesce(string_agg(DISTINCT p.cmd, ' ' ORDER BY p.cmd), '') FROM pg_policies p WHERE p.tablename = c.relname) AS commands,
              ARRAY(SELECT r FROM unnest('{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[]) AS r
                     WHERE has_table_privilege(c.oid, r) OR (r IN ('SELECT', 'INSERT', 'UPDATE') AND has_any_column_privilege(c.oid, r))) AS rights
         FROM pg_class c WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relnamespace = 'public'::regnamespace ORDER BY 1`,
    );
    const unsecured = relations.filter(({ secured }) => !secured);
    expect(unsecured.map(({ name }) => name)).toEqual(Object.keys(READ_ONLY).sort());
    for (const { name, rights } of unsecured) expect({ name, rights }).toEqual({ name, rights: ['SELECT'] });
    for (const { name, secured, commands, rights } of relations)
      if (secured) {
        expect({ name, commands }).toEqual({ name, commands: 'DELETE INSERT SELECT UPDATE' });
        const more = rights.filter((right) => ['TRUNCATE', 'REFERENCES', 'TRIGGER'].includes(right));
        expect({ name, more }).toEqual({ name, more: [] });
      }
  });

  it('grants nothing to PUBLIC, and the rights of the owner by functions that check their caller alone', async () => {
    const open = await world.sql(
      `SELECT c.oid::regclass::text AS name FROM pg_class c, aclexplode(c.relacl) a
        WHERE c.relnamespace = 'public'::regnamespace AND a.grantee = 0`,
    );
    expect(open).toEqual([]);
    const functions = await world.sql<{
      name: string;
      definer: boolean;
      isPublic: boolean;
      isTrigger: boolean;
      isCalled: boolean;
      hasPath: boolean;
    }>(
      `SELECT p.proname AS name, p.prosecdef AS definer, p.prorettype = 'trigger'::regtype AS "isTrigger",
              has_function_privilege(p.oid, 'EXECUTE') AS "isCalled", coalesce(p.proconfig::text ~ 'search_path=', false) AS "hasPath",
              EXISTS (SELECT FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) WHERE grantee = 0) AS "isPublic"
         FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace
          AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e') ORDER BY 1`,
    );
    expect(functions.filter(({ isPublic }) => isPublic)).toEqual([]);
    const definers = functions.filter(({ definer }) => definer);
    expect(definers.filter(({ hasPath }) => !hasPath)).toEqual([]);
    expect(definers.filter(({ isCalled }) => isCalled).map(({ name }) => name)).toEqual(DEFINERS.sort());
    for (const { name, isCalled } of definers) if (!isCalled) expect(name).toMatch(DEFINER_TRIGGERS);
    // What a later migration makes is executed by nobody until it is granted.
    expect(
      await world.sql(`SELECT FROM pg_default_acl d WHERE d.defaclobjtype = 'f' AND d.defaclnamespace = 0
          AND NOT EXISTS (SELECT FROM aclexplode(d.defaclacl) WHERE grantee = 0)`),
    ).toHaveLength(1);
  });

  it('lets the service use the sequences of what it adds, and no other', async () => {
    const sequences = await world.sql<{ name: string; isUsed: boolean }>(
      `SELECT relname AS name, has_sequence_privilege(oid, 'USAGE') OR has_sequence_privilege(oid, 'UPDATE') AS "isUsed"
         FROM pg_class WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace ORDER BY 1`,
    );
    expect(sequences.filter(({ isUsed }) => !isUsed).map(({ name }) => name)).toEqual(['migration_id_seq']);
  });

  it('lets the server itself neither change nor remove an entry of the audit', async () => {
    const system = { requestId: 'test', actor: Actor.system('test') };
    await world.admin.post('/api/environments', { name: 'sealed', organization_id: world.organization });
    await done(world.admin.get(`/api/identity/orgs/${world.organization}/audit`));
    const changes = ["UPDATE audit_entry SET action = 'x'", 'DELETE FROM audit_entry', 'TRUNCATE audit_entry'];
    for (const statement of [...changes, 'DELETE FROM audit_checkpoint', "UPDATE audit_pending SET action = 'x'"])
      await runInRequestContext(system, () =>
        expect(world.sql(statement)).rejects.toMatchObject({ driverError: { code: DENIED } }),
      );
    await runInRequestContext(system, () =>
      expect(world.sql('SELECT audit_prune($1, 1, 10)', [world.organization])).rejects.toThrow('a signed head only'),
    );
    await as(world.admin, () =>
      expect(world.sql(`SELECT audit_erase($1, $2, '', 10)`, [world.organization, world.admin.id])).rejects.toThrow(
        'the system erases',
      ),
    );
    await as(world.admin, () =>
      expect(world.sql('SELECT event_erase_subject($1)', [world.admin.id])).rejects.toThrow('the system erases'),
    );
    await as(world.admin, () =>
      expect(world.sql(`SELECT event_erase($1, 'a@b.org', 0, 10)`, [world.organization])).rejects.toThrow(
        'the system erases',
      ),
    );
  });

  describe('against statements that are smuggled into the session', () => {
    let viewer: Person;
    let outsider: Person & { organization: string };
    let tables: string[];
    let workspace: Json;

    beforeAll(async () => {
      const { admin, organization: organization_id } = world;
      [viewer, outsider] = [await world.person(), await world.outsider()];
      workspace = await done(admin.post('/api/workspaces', { name: 'guarded', organization_id }));
      await done(admin.put(`/api/workspaces/${workspace.id}/members/${viewer.id}`, { role: 'viewer' }));
      const environment = await done(admin.post('/api/environments', { name: 'guarded', organization_id }));
      await done(admin.post(`/api/workspaces/${workspace.id}/environments/${environment.id}`));
      const connection = await done(
        admin.post('/api/integrations/connections', {
          ...{ name: 'guarded', kind: 'x', credential_secret: { a: 'b' }, organization_id },
        }),
      );
      await done(admin.post(`/api/environments/${environment.id}/connections/${connection.id}`));
      const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n';
      await done(admin.upload('/api/pattern/import', 'd.yaml', yaml, { workspace_id: workspace.id }));
      const team = await done(admin.post(`/api/identity/orgs/${organization_id}/teams`, { name: 'guarded' }));
      await done(admin.post(`/api/identity/orgs/${organization_id}/teams/${team.id}/users/${viewer.id}`));
      await done(admin.put(`/api/workspaces/${workspace.id}/teams/${team.id}`, { role: 'viewer' }));
      await done(
        admin.post(`/api/identity/orgs/${organization_id}/users`, { email: 'in@example.org', role: 'member' }),
      );
      await done(viewer.post('/api/identity/tokens', { name: 'own', scopes: ['read'] }));
      const secured = await world.sql<{ name: string }>(
        `SELECT relname AS name FROM pg_class WHERE relrowsecurity AND relnamespace = 'public'::regnamespace ORDER BY 1`,
      );
      tables = secured.map(({ name }) => name);
    });

    const firstColumnOf = async (table: string): Promise<string> =>
      (
        await world.sql<{ name: string }>(
          `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum = 1`,
          [table],
        )
      )[0]?.name ?? '';

    it('lets a viewer change and remove nothing but what is their own, in any table', async () => {
      for (const table of tables) {
        const column = await firstColumnOf(table);
        const changed = await tried(viewer, `UPDATE ${table} SET ${column} = ${column} RETURNING 1`);
        if (!OWN_UPDATES.includes(table))
          expect({ table, refused: [0, DENIED].includes(changed) }).toEqual({ table, refused: true });
        const removed = await tried(viewer, `DELETE FROM ${table} RETURNING 1`);
        if (!OWN_DELETES.includes(table))
          expect({ table, kept: [0, DENIED].includes(removed) }).toEqual({ table, kept: true });
      }
      expect(await tried(viewer, 'UPDATE app_user SET first_name = first_name WHERE id <> $1', [viewer.id])).toBe(
        DENIED,
      );
      for (const table of ['organization_member', 'workspace_member', 'team_member'])
        expect(await tried(viewer, `DELETE FROM ${table} WHERE user_id <> $1`, [viewer.id])).toBe(0);
    });

    it('shows a stranger, and nobody, no row of another organization, and no row that signs people in', async () => {
      for (const table of tables) {
        const [own] = await world.sql<{ own: boolean }>(
          `SELECT count(*) > 0 AS own FROM information_schema.columns WHERE table_name = $1 AND column_name = 'organization_id'`,
          [table],
        );
        const mine = own?.own ? `WHERE organization_id = '${world.organization}'` : '';
        for (const person of [outsider, null]) {
          const rows = await as(person, () =>
            world.sql<{ n: number }>(`SELECT count(*)::int AS n FROM ${table} ${mine}`),
          );
          if (own?.own) expect({ table, ...rows[0] }).toEqual({ table, n: 0 });
          else if (!person)
            expect({ table, n: ['event_counter', ...PUBLIC_TABLES].includes(table) || rows[0]?.n === 0 }).toEqual({
              table,
              n: true,
            });
        }
      }
      for (const table of ['session', 'refresh_token', 'password_reset', 'failed_attempt', 'known_network'])
        expect({ table, seen: await tried(viewer, `SELECT FROM ${table}`) }).toEqual({ table, seen: 0 });
      expect(await tried(viewer, 'SELECT FROM personal_token WHERE user_id <> $1', [viewer.id])).toBe(0);
    });

    it('gives no right by the organization that a transaction says it concerns, and takes none', async () => {
      const { organization, admin } = world;
      const select = 'SELECT FROM environment WHERE organization_id = $1';
      const update = 'UPDATE environment SET name = name WHERE organization_id = $1 RETURNING 1';
      const count = 'UPDATE event_counter SET last = last WHERE feed = $1 RETURNING 1';
      for (const concerned of [organization, outsider.organization, '']) {
        const on = (person: Person, statement: string) => tried(person, statement, [organization], concerned);
        expect([await on(outsider, select), await on(outsider, update), await on(outsider, count)]).toEqual([0, 0, 0]);
        expect([await on(viewer, select), await on(viewer, update), await on(viewer, count)]).toEqual([1, DENIED, 1]);
        expect(await on(admin, select)).toBeGreaterThan(0);
        expect(await on(admin, update)).toBeGreaterThan(0);
      }
    });

    it('appends events in the name of their user only, to organizations of that user', async () => {
      const [member, stranger] = [await world.person('member'), await world.outsider()];
      const event = (user: Person | null, organization: string | null): Json => ({
        id: crypto.randomUUID(),
        organization_id: organization,
        workspace_id: null,
        user_id: user?.id ?? null,
        system_actor: null,
        acted_upon: world.organization,
        operation_id: null,
        category: 'organization',
        action: 'updated',
        severity: 'informational',
        description: 'Organization was changed',
        metadata: {},
      });
      const append = (person: Person | null, ...events: Json[]): Promise<number | string> =>
        tried(person, 'SELECT * FROM append_events($1)', [JSON.stringify(events)], world.organization);
      const own = event(member, world.organization);
      expect(await append(member, own)).toBe(1);
      expect(await append(member, own, event(member, null), { ...own, id: crypto.randomUUID() })).toBe(3);
      for (const [person, ...events] of [
        [member, event(world.admin, world.organization)],
        [member, own, event(member, crypto.randomUUID())],
        [member, own, event(member, null), event(world.admin, world.organization)],
        [stranger, event(stranger, world.organization)],
        [stranger, event(stranger, null), event(stranger, world.organization)],
        [null, event(null, null)],
        [null, event(null, world.organization)],
      ] as [Person | null, ...Json[]][])
        expect(await append(person, ...events)).toBe(DENIED);
      const functions = await world.sql<{ definer: boolean; everyone: boolean }>(
        `SELECT prosecdef AS definer, EXISTS (SELECT FROM aclexplode(proacl) WHERE grantee = 0) AS everyone
           FROM pg_proc WHERE proname = 'append_events'`,
      );
      expect(functions).toEqual([{ definer: true, everyone: false }]);
    });

    it('lets a viewer reach no record through a view, which has the rights of its owner', async () => {
      for (const statement of [
        'DELETE FROM active_organization',
        'DELETE FROM active_workspace',
        'UPDATE active_workspace SET id = id',
        'INSERT INTO active_organization VALUES (gen_random_uuid())',
      ])
        expect({ statement, refused: await tried(viewer, statement) }).toEqual({ statement, refused: DENIED });
    });

    it('lets callers enqueue no job, which would run as the system, and see their own', async () => {
      const enqueue = `INSERT INTO job (id, queue, organization_id, requested_by) VALUES (gen_random_uuid(), 'x', $1, $2)`;
      for (const person of [viewer, world.admin, outsider])
        for (const requestedBy of [person.id, null])
          expect(await tried(person, enqueue, [world.organization, requestedBy])).toBe(DENIED);
      await world.sql(enqueue, [world.organization, viewer.id]);
      const seen = `SELECT FROM job WHERE queue = 'x' AND organization_id = $1`;
      expect(await tried(viewer, seen, [world.organization])).toBe(1);
      expect(await tried(world.admin, seen, [world.organization])).toBe(1);
      expect(await tried(outsider, seen, [world.organization])).toBe(0);
      await world.sql(`DELETE FROM job WHERE queue = 'x'`);
    });

    it('shows callers the calls under their own idempotency keys alone, and no data key', async () => {
      const key = { 'Idempotency-Key': 'guarded' };
      const made = await viewer.post(
        '/api/workspaces',
        { name: 'keyed', organization_id: world.organization },
        { headers: key },
      );
      expect(made.status).toBe(201);
      const keys = 'SELECT FROM idempotency_key WHERE caller = $1';
      expect(await tried(viewer, keys, [viewer.id])).toBe(1);
      expect(await tried(outsider, keys, [viewer.id])).toBe(0);
      expect(await tried(world.admin, 'DELETE FROM idempotency_key WHERE caller = $1', [viewer.id])).toBe(0);
      for (const person of [viewer, world.admin, null]) expect(await tried(person, 'SELECT FROM data_key')).toBe(0);
    });

    it('lets installation administrators alone write to the registry, which everyone reads', async () => {
      const enable = `UPDATE model SET status = 'ignored' WHERE name = 'kubernetes'`;
      expect(await tried(viewer, enable)).toBe(DENIED);
      expect(await tried(null, enable)).toBe(DENIED);
      expect(await tried(viewer, 'DELETE FROM model')).toBe(0);
      expect(await tried(viewer, `SELECT FROM model WHERE name = 'kubernetes'`)).toBeGreaterThan(0);
      expect(await tried(world.admin, enable)).toBeGreaterThan(0);
    });

    it('lets a viewer give nobody a right', async () => {
      const { organization } = world;
      for (const [statement, ...parameters] of [
        ['UPDATE app_user SET installation_admin = true WHERE id = $1', viewer.id],
        [`UPDATE app_user SET password_hash = 'x' WHERE id = $1`, viewer.id],
        ['UPDATE app_user SET unconfirmed_by = id WHERE id = $1', viewer.id],
        ['UPDATE organization_member SET role = 6 WHERE user_id = $1', viewer.id],
        ['UPDATE workspace_member SET role = 4 WHERE user_id = $1', viewer.id],
        ['UPDATE workspace_team SET role = 4', undefined],
        ['INSERT INTO workspace_member (workspace_id, user_id, role) VALUES ($1, $2, 4)', workspace.id, outsider.id],
        [
          'INSERT INTO organization_member (organization_id, user_id, role) VALUES ($1, $2, 1)',
          organization,
          outsider.id,
        ],
        [
          `INSERT INTO session (id, user_id, expires_at) VALUES ($1, $2, now() + interval '1 day')`,
          outsider.id,
          viewer.id,
        ],
        [
          `INSERT INTO personal_token (id, user_id, name, scopes, hash) VALUES ($1, $2, 'x', '{admin}', '\\x00')`,
          outsider.id,
          viewer.id,
        ],
        [`UPDATE design SET visibility = 'organization' WHERE workspace_id = $1`, workspace.id],
        [`UPDATE workspace SET name = 'mine' WHERE id = $1`, workspace.id],
      ] as [string, ...unknown[]][])
        expect({
          statement,
          answer: await tried(
            viewer,
            statement,
            parameters.filter((each) => each !== undefined),
          ),
        }).toEqual({
          statement,
          answer: DENIED,
        });
    });

    it('lets nobody carry a record into an organization of their own', async () => {
      for (const table of ['workspace', 'environment', 'connection', 'design'])
        expect({
          table,
          answer: await tried(world.admin, `UPDATE ${table} SET organization_id = $1`, [outsider.organization]),
        }).toEqual({ table, answer: DENIED });
    });

    it('leaves no way back to the owner of the tables', async () => {
      const [{ owner } = { owner: '' }] = await world.sql<{ owner: string }>(
        `SELECT tableowner AS owner FROM pg_tables WHERE tablename = 'app_user'`,
      );
      for (const way of [`SET ROLE ${owner}`, `SET SESSION AUTHORIZATION ${owner}`])
        expect({ way, answer: await tried(viewer, way) }).toEqual({ way, answer: DENIED });
      for (const way of ['RESET ROLE', 'SET ROLE NONE', 'RESET SESSION AUTHORIZATION', 'RESET ALL']) {
        const runner = world.get(DataSource).createQueryRunner();
        await runner.startTransaction();
        await runner.query(way);
        const [now] = await runner.manager.query<{ owns: boolean; super: string }[]>(
          `SELECT pg_has_role(current_user, $1, 'MEMBER') OR pg_has_role(session_user, $1, 'MEMBER') AS owns, current_setting('is_superuser') AS super`,
          [owner],
        );
        await runner.rollbackTransaction();
        await runner.release();
        expect({ way, ...now }).toEqual({ way, owns: false, super: 'off' });
      }
    });
  });

  it.each(['with the commit', 'before it'])(
    'keeps neither a change nor its event when the right has ended, sent %s',
    async (when) => {
      const { admin, organization } = world;
      const { body } = await admin.post('/api/environments', { name: 'kept', organization_id: organization });
      const member = await world.person('member');
      const [store, unit, events] = [world.get(EnvironmentsStore), world.get(UnitOfWork), world.get(EventBus)];
      const change = (person: Person): Promise<unknown> =>
        as(person, async () => {
          const record = (await as(admin, () => store.find(actorOf(admin), body.id))) as Environment;
          return unit.run(async () => {
            if (when === 'before it') await store.update(record, { description: 'changed' });
            else store.updateAtCommit(record, { description: 'changed' });
            await events.publish(new EnvironmentUpdated(actorOf(person), record));
          });
        });
      const numberOfEvents = async (): Promise<number> =>
        (await world.sql(`SELECT FROM event WHERE acted_upon = $1`, [body.id])).length;
      const before = await numberOfEvents();
      await expect(change(member)).rejects.toMatchObject({ status: 403 });
      expect((await admin.get(`/api/environments/${body.id}`)).body).toMatchObject({ description: '' });
      expect(await numberOfEvents()).toBe(before);
      await change(admin);
      expect((await admin.get(`/api/environments/${body.id}`)).body).toMatchObject({ description: 'changed' });
      expect(await numberOfEvents()).toBe(before + 1);
    },
  );

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
      jest.spyOn(access, 'onlyVisibleIn').mockImplementation((rows, alias, _type, _actor, organizationId) =>
        Promise.resolve({
          rows: rows.andWhere(`${alias}.organization_id = :organizationId`, { organizationId }),
          seesAll: true,
        }),
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
        // A search takes ids from the owner of the tables; what is seen of them is for the policies.
        for (const query of ['', '&search=ECRET']) {
          const listed = (person: typeof admin) => person.get(`${path}?orgID=${organization}&pagesize=500${query}`);
          const ids = (answer: Json) => answer.body[records].map((each: Json) => each.id);
          expect(ids(await listed(admin)).some((id: string) => mine.includes(id))).toBe(true);
          expect(ids(await listed(member)).filter((id: string) => mine.includes(id))).toEqual([]);
        }
      }
      expect((await admin.get(`/api/environments/${environment.id}`)).status).toBe(200);
    } finally {
      for (const check of checks) check.mockRestore();
    }
  });

  it('ends the name of the system with the part of a unit that it was taken for, also when that part fails', async () => {
    const member = await world.person();
    const unit = world.get(UnitOfWork);
    const userNow = async (): Promise<string | undefined> =>
      (await unit.manager.query<{ user: string }[]>(`SELECT current_setting('armature.user') AS user`))[0]?.user;
    const seen: (string | undefined)[] = [];
    await as(member, () =>
      unit.run(async () => {
        const failing = unit.runAsSystem('a rule', async () => {
          seen.push(await userNow());
          throw new Error('the rule failed');
        });
        await expect(failing).rejects.toThrow('the rule failed');
        seen.push(await userNow());
      }),
    );
    expect(seen).toEqual(['system', member.id]);
    const broken = as(member, () => unit.run(() => unit.runAsSystem('a rule', () => unit.manager.query('SELECT 1/0'))));
    await expect(broken).rejects.toThrow('division by zero');
    expect(await as(member, () => unit.run(userNow))).toBe(member.id);
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
