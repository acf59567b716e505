import { randomUUID } from 'node:crypto';
import { type Answer, type Json, Person } from './support/person.js';
import { until } from './support/until.js';
import { done, type People, peopleOf, WorkspaceScene } from './support/workspace-scene.js';
import { World } from './support/world.js';

describe('approvals of deployments', () => {
  let world: World;
  let people: People;
  let scene: WorkspaceScene;
  /** Three admins of the workspace beside `people.admin`. */
  let admins: Person[];

  beforeAll(async () => {
    world = await World.start({ APPROVAL_TTL: '100s' });
    people = await peopleOf(world);
    scene = await WorkspaceScene.make(world, people);
    admins = await Promise.all([1, 2, 3].map(() => world.person()));
    for (const { id } of admins) await grant(id, 'admin');
  }, 120_000);
  afterAll(() => world.stop());

  const grant = (id: string, role: string) => done(world.admin.put(`${scene.path}/members/${id}`, { role }));
  const refused = (status: number, code: string) => ({ status, body: { status, code } });

  /** An environment with a cluster that answers nobody, a design, and what is asked for there. */
  async function place(fields: object) {
    const environment = await scene.environment(fields);
    const connection = await scene.cluster(environment, 'https://127.0.0.1:9');
    const design = await scene.design();
    const deploy = (by: Person, more: object = {}): Promise<Answer> =>
      by.post('/api/pattern/deploy?async=true', { id: design.id, environment_id: environment.id, ...more });
    const request = (by = people.editor, more: object = {}): Promise<Json> =>
      done(deploy(by, { request_approval: true, ...more }));
    return { environment, connection, design, deploy, request };
  }
  const approve = (id: string, by: Person, reason?: string): Promise<Answer> =>
    by.post(`/api/deployments/${id}/approve?async=true`, { reason });
  const reject = (id: string, by: Person, reason?: string): Promise<Answer> =>
    by.post(`/api/deployments/${id}/reject`, { reason });
  const record = (id: string): Promise<Json> => done(world.admin.get(`/api/deployments/${id}`));
  const events = (id: string) =>
    world.sql<{ action: string; metadata: Json }>(
      'SELECT action, metadata FROM event WHERE acted_upon = $1 ORDER BY sequence',
      [id],
    );

  it('are asked for by environments: one on production, none elsewhere, else what admins of the organization say', async () => {
    const path = (id: string) => `/api/environments/${id}`;
    const live = await scene.looseEnvironment({ tier: 'production' });
    const test = await scene.looseEnvironment();
    expect([live.required_approvals, test.required_approvals]).toEqual([1, 0]);
    expect(await scene.looseEnvironment({ required_approvals: 3 })).toMatchObject({ required_approvals: 3 });
    for (const wrong of [-1, 6, 1.5, '2'])
      expect(await world.admin.put(path(test.id), { required_approvals: wrong })).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/required_approvals' }] },
      });
    expect(await people.admin.put(path(test.id), { required_approvals: 0 })).toMatchObject({ status: 404 });
    // What is sent as it was read leaves the number to the tier.
    await done(world.admin.put(path(test.id), { ...(await done(world.admin.get(path(test.id)))), tier: 'production' }));
    expect((await done(world.admin.get(path(test.id)))).required_approvals).toBe(1);
    await done(people.organizationAdmin.put(path(test.id), { required_approvals: 5 }));
    const query = `{ environment(id: "${test.id}") { required_approvals } }`;
    expect((await world.admin.graphql(query)).body.data.environment.required_approvals).toBe(5);
    const cleared = await done(world.admin.put(path(test.id), { required_approvals: null }));
    expect(cleared.required_approvals).toBe(1);
  });

  it('of two different people let a deployment begin, and stand in its record', async () => {
    const { deploy, request, connection } = await place({ tier: 'production', required_approvals: 2 });
    expect(await deploy(people.editor)).toMatchObject({
      ...refused(403, 'APPROVAL_REQUIRED'),
      body: { missing_approvals: 2, remedy: expect.stringContaining('request_approval') },
    });
    const { id, ...pending } = await request(people.editor, { reason: ' the autumn sale ' });
    const reason = 'the autumn sale';
    expect(pending).toMatchObject({ status: 'pending_approval', approvals: [], approved_by: null, reason });
    // No cluster could be asked for a plan.
    expect(await people.viewer.get(`/api/deployments/${id}/plan`)).toMatchObject(refused(404, 'NOT_FOUND'));
    expect(Date.parse(pending.approval_expires_at)).toBeGreaterThan(Date.now());
    const first = await approve(id, people.admin, ' looks good ');
    const entry = { user_id: people.admin.id, decision: 'approved', reason: 'looks good', at: expect.any(String) };
    expect(first).toMatchObject({
      status: 202,
      body: { status: 'pending_approval', approved_by: null, approvals: [entry] },
    });
    expect(await approve(id, people.admin)).toMatchObject(refused(409, 'ALREADY_APPROVED'));
    expect(await approve(id, people.viewer)).toMatchObject(refused(403, 'FORBIDDEN'));
    expect((await approve(id, people.outsider)).status).toBe(404);
    expect((await approve(id, people.stranger)).status).toBe(401);
    const second = await approve(id, people.organizationAdmin);
    expect(second).toMatchObject({
      status: 202,
      body: { approved_by: people.organizationAdmin.id, approvals: [entry, { reason: null }] },
    });
    expect(second.body.status).not.toBe('pending_approval');
    const query = `{ deployment(id: "${id}") { approvals { user_id decision reason at } promoted_from } }`;
    expect((await people.viewer.graphql(query)).body.data.deployment).toMatchObject({
      approvals: [entry, { user_id: people.organizationAdmin.id, reason: null }],
      promoted_from: null,
    });
    expect((await events(id)).slice(0, 3)).toMatchObject([
      { action: 'requested', metadata: { reason } },
      { action: 'approved', metadata: { reason: 'looks good', missing_approvals: 1 } },
      { action: 'approved', metadata: { missing_approvals: 0 } },
    ]);
    await until(async () => (await record(id)).finished_at !== null, 30_000);
    const error = { code: 'CLUSTER_UNREACHABLE', connection_id: connection.id };
    expect(await record(id)).toMatchObject({
      error,
      clusters: [{ connection_id: connection.id, outcome: 'unchanged', error }],
    });
  }, 60_000);

  it('count an admin who asks as one of those that are needed, who approves nothing of their own', async () => {
    const one = await place({ tier: 'production' });
    expect((await one.deploy(people.admin)).status).toBe(202);
    const two = await place({ tier: 'staging', required_approvals: 2 });
    expect(await two.deploy(people.admin)).toMatchObject({
      ...refused(403, 'APPROVAL_REQUIRED'),
      body: { missing_approvals: 1 },
    });
    const { id } = await two.request(people.admin);
    for (const own of [await approve(id, people.admin), await reject(id, people.admin, 'changed my mind')])
      expect(own).toMatchObject(refused(403, 'OWN_REQUEST'));
    expect((await approve(id, admins[0] as Person)).body.status).not.toBe('pending_approval');
    const staging = await place({ tier: 'staging', required_approvals: 1 });
    expect(await staging.deploy(people.editor)).toMatchObject(refused(403, 'APPROVAL_REQUIRED'));
    expect((await staging.deploy(people.admin)).status).toBe(202);
  });

  it('are given by people: neither by a service account, nor by the requester with another token', async () => {
    const accounts = `/api/identity/orgs/${world.organization}/service-accounts`;
    const account = await done(people.organizationAdmin.post(accounts, { name: 'ci', role: 'admin' }));
    const scopes = ['read', 'write', 'deploy', 'admin'];
    const bearing = async (by: Person, path: string): Promise<Person> =>
      new Person(world.baseUrl, (await done(by.post(path, { name: randomUUID(), scopes }))).token as string);
    const program = await bearing(people.organizationAdmin, `${accounts}/${account.id}/tokens`);
    const again = await bearing(people.organizationAdmin, '/api/identity/tokens');

    const mayApprove = async (by: Person): Promise<Json> => {
      const { permissions } = await done(by.get(`${scene.path}/permissions`));
      return permissions.find(({ operation }: Json) => operation === 'deployment.approve');
    };
    expect(await mayApprove(again)).toMatchObject({ allowed: true, reason: null });
    expect(await mayApprove(program)).toMatchObject({ allowed: false, reason: expect.any(String), granted_by: [] });

    const { deploy, request, environment } = await place({ tier: 'production', required_approvals: 2 });
    const own = await request(people.organizationAdmin);
    for (const call of [approve, reject]) {
      expect(await call(own.id, again, 'mine')).toMatchObject(refused(403, 'OWN_REQUEST'));
      expect(await call(own.id, program, 'mine')).toMatchObject(refused(403, 'PERSON_REQUIRED'));
    }
    expect((await record(own.id)).approvals).toEqual([]);
    // As if it had been approved before only people could: such an approval lets nothing begin.
    const given = [{ user_id: account.id, decision: 'approved', reason: null, at: new Date().toISOString() }];
    await world.sql(`UPDATE deployment SET approvals = $2 WHERE id = $1`, [own.id, JSON.stringify(given)]);
    await done(world.admin.put(`/api/environments/${environment.id}`, { required_approvals: 3 }));
    expect((await approve(own.id, admins[0] as Person)).body).toMatchObject({ status: 'pending_approval' });
    await done(world.admin.put(`/api/environments/${environment.id}`, { required_approvals: 2 }));

    // A program that requests is none of the two people.
    expect(await deploy(program)).toMatchObject({
      ...refused(403, 'APPROVAL_REQUIRED'),
      body: { missing_approvals: 2 },
    });
    const theirs = await request(program);
    expect(await approve(theirs.id, program)).toMatchObject(refused(403, 'OWN_REQUEST'));
    expect((await approve(theirs.id, people.organizationAdmin)).body.status).toBe('pending_approval');
    expect((await approve(theirs.id, admins[0] as Person)).body.status).not.toBe('pending_approval');
    // Where one admin is enough, a program that is one deploys alone.
    await done(world.admin.put(`/api/environments/${environment.id}`, { required_approvals: 1 }));
    expect((await deploy(program)).status).toBe(202);
  });

  it('that come at once are neither lost nor counted twice', async () => {
    const { request } = await place({ tier: 'production', required_approvals: 3 });
    const { id } = await request();
    const everyone = [people.admin, people.admin, ...admins, ...admins];
    const answers = await Promise.all(everyone.map((by) => approve(id, by)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 202, 409, 409, 409, 409, 409]);
    const { approvals } = await record(id);
    expect(new Set(approvals.map((each: Json) => each.user_id)).size).toBe(3);
    expect(approvals).toHaveLength(3);
    expect(await world.sql(`SELECT FROM job WHERE payload->>'deployment' = $1`, [id])).toHaveLength(1);
  });

  it('are judged by the tier, the number and the roles of now', async () => {
    const { request, environment } = await place({ tier: 'staging', required_approvals: 1 });
    const change = (fields: object) => done(world.admin.put(`/api/environments/${environment.id}`, fields));
    const { id } = await request();
    await change({ required_approvals: 2 });
    const [first, second, third] = admins as [Person, Person, Person];
    expect((await approve(id, first)).body.status).toBe('pending_approval');
    await grant(first.id, 'editor');
    expect((await approve(id, second)).body).toMatchObject({ status: 'pending_approval', approvals: [{}, {}] });
    expect((await approve(id, third)).body.status).not.toBe('pending_approval');
    await grant(first.id, 'admin');

    const other = await request();
    await change({ tier: 'production', required_approvals: 0 });
    expect((await approve(other.id, first)).body.status).not.toBe('pending_approval');
  });

  it('are refused with a reason that is kept, once for good', async () => {
    const { request } = await place({ tier: 'production' });
    const { id } = await request();
    for (const reason of [undefined, '', '  '])
      expect(await reject(id, people.admin, reason)).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/reason' }] },
      });
    expect(await reject(id, people.editor, 'no')).toMatchObject(refused(403, 'OWN_REQUEST'));
    const entry = { user_id: people.admin.id, decision: 'rejected', reason: 'too early' };
    const rejected = {
      status: 'cancelled',
      approvals: [entry],
      error: { code: 'APPROVAL_REJECTED', detail: expect.stringContaining('too early') },
    };
    expect(await reject(id, people.admin, 'too early')).toMatchObject({ status: 200, body: rejected });
    expect(await record(id)).toMatchObject(rejected);
    expect((await events(id)).at(-1)).toMatchObject({ action: 'cancelled', metadata: { reason: 'too early' } });
    expect(await approve(id, people.organizationAdmin)).toMatchObject(refused(409, 'NOT_PENDING'));
  });

  it('are needed for undeploying and rolling back too, where an admin who rolls back needs nobody', async () => {
    const { request, environment, connection, design, deploy } = await place({ tier: 'production' });
    const { id } = await done(deploy(people.admin));
    await until(async () => (await record(id)).finished_at !== null, 30_000);
    // As if version 1 had been deployed, and then another.
    await world.sql(`UPDATE deployment SET status = 'succeeded', failure = NULL WHERE id = $1`, [id]);
    await world.sql(
      `INSERT INTO deployed_design (design_id, connection_id, environment_id, organization_id, workspace_id, deployment_id, design_version)
       VALUES ($1, $2, $3, $4, $5, $6, 2)`,
      [design.id, connection.id, environment.id, world.organization, scene.id, id],
    );
    const undeploy = (by: Person, query = ''): Promise<Answer> =>
      by.delete(`/api/pattern/deploy?async=true&id=${design.id}&environment_id=${environment.id}${query}`);
    const rollback = (by: Person, more: object = {}): Promise<Answer> =>
      by.post(`/api/deployments/${id}/rollback?async=true`, { version: 1, ...more });
    for (const call of [() => undeploy(people.editor), () => rollback(people.editor)])
      expect(await call()).toMatchObject(refused(403, 'APPROVAL_REQUIRED'));
    for (const call of [
      () => undeploy(people.editor, '&request_approval=true'),
      () => people.editor.delete('/api/pattern/deploy', { body: { id: design.id, request_approval: true } }),
      () => rollback(people.editor, { request_approval: true }),
    ]) {
      const pending = await call();
      expect(pending).toMatchObject({ status: 202, body: { status: 'pending_approval' } });
      await done(people.editor.post(`/api/deployments/${pending.body.id}/cancel`));
    }
    await done(world.admin.put(`/api/environments/${environment.id}`, { required_approvals: 2 }));
    expect(await undeploy(people.admin)).toMatchObject(refused(403, 'APPROVAL_REQUIRED'));
    expect((await rollback(people.admin)).status).toBe(202);
    expect((await request(people.admin)).status).toBe('pending_approval');
  }, 60_000);

  it('that do not come in time end the request, without anybody reading it', async () => {
    const { request } = await place({ tier: 'production' });
    const { id } = await request();
    const late = await request();
    await world.sql(`UPDATE deployment SET approval_expires_at = now() - interval '1 second' WHERE id = $1`, [id]);
    expect((await approve(id, people.admin)).body.code).toMatch(/^(APPROVAL_EXPIRED|NOT_PENDING)$/);
    const status = async () =>
      (await world.sql<{ status: string }>('SELECT status FROM deployment WHERE id = $1', [id]))[0]?.status;
    await until(async () => (await status()) === 'cancelled', 60_000);
    expect(await record(id)).toMatchObject({ error: { code: 'APPROVAL_EXPIRED' }, approvals: [] });
    expect((await events(id)).map(({ action }) => action)).toEqual(['requested', 'cancelled']);
    expect((await record(late.id)).status).toBe('pending_approval');
  }, 90_000);
});
