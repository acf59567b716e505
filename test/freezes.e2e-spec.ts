import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Json } from './support/person.js';
import { done, type People, peopleOf, WorkspaceScene } from './support/workspace-scene.js';
import { World } from './support/world.js';

const HOUR = 3_600_000;
const fromNow = (hours: number): string => new Date(Date.now() + hours * HOUR).toISOString();
const PAST = { name: 'past', starts_at: '2020-01-01T00:00:00Z', ends_at: '2020-01-02T00:00:00Z' };

describe('freeze windows of environments', () => {
  let world: World;
  let people: People;
  let scene: WorkspaceScene;

  beforeAll(async () => {
    world = await World.start();
    people = await peopleOf(world);
    scene = await WorkspaceScene.make(world, people);
  }, 120_000);
  afterAll(() => world.stop());

  /** An environment with a cluster that answers nobody, a design, and what deploys it there. */
  async function place(tier = 'development', server = 'https://127.0.0.1:9') {
    const environment = await scene.environment({ tier });
    await scene.cluster(environment, server);
    const design = await scene.design();
    const freezes = `/api/environments/${environment.id}/freezes`;
    const freeze = (fields: object = {}) =>
      done(world.admin.post(freezes, { name: 'now', starts_at: fromNow(-1), ends_at: fromNow(1), ...fields }));
    const deploy = (by = people.admin, fields: object = {}) =>
      by.post('/api/pattern/deploy?async=true', { id: design.id, environment_id: environment.id, ...fields });
    return { environment, design, freezes, freeze, deploy };
  }

  it('are made, listed by page, read, changed as they were read, and deleted', async () => {
    const { environment, freezes } = await place();
    const input = {
      name: 'weekends',
      starts_at: '2026-01-09T17:00:00+01:00',
      ends_at: '2026-01-12T08:00:00+01:00',
      recurrence: 'FREQ=WEEKLY;BYDAY=FR',
      timezone: 'Europe/Berlin',
      message: 'see you on Monday',
    };
    const made = await people.organizationAdmin.post(freezes, input);
    expect(made).toMatchObject({
      status: 201,
      body: {
        ...input,
        starts_at: '2026-01-09T16:00:00.000Z',
        ends_at: '2026-01-12T07:00:00.000Z',
        environment_id: environment.id,
      },
    });
    const path = `${freezes}/${made.body.id}`;
    await done(world.admin.post(freezes, PAST));
    expect((await world.admin.get(`${freezes}?pagesize=1&order=name desc`)).body).toMatchObject({
      page_size: 1,
      total_count: 2,
      freezes: [{ id: made.body.id }],
    });
    const read = await world.admin.get(path);
    const stale = { headers: { 'if-match': read.headers.get('etag') ?? '' } };
    expect(await world.admin.put(path, { ...read.body, recurrence: null }, stale)).toMatchObject({
      status: 200,
      body: { recurrence: null, name: 'weekends' },
    });
    expect((await world.admin.put(path, { name: 'x' }, stale)).status).toBe(412);
    expect(await world.admin.put(path, { ends_at: '2026-01-09T16:00:00Z' })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/ends_at' }] },
    });
    const { freezes: other } = await place();
    expect((await world.admin.get(`${other}/${made.body.id}`)).status).toBe(404);
    expect((await world.admin.delete(`${other}/${made.body.id}`)).status).toBe(404);
    expect((await world.admin.delete(path)).status).toBe(200);
    expect((await world.admin.get(path)).status).toBe(404);
    const { events } = (await world.admin.get(`/api/events?orgID=${world.organization}&acted_upon=${environment.id}`))
      .body as { events: Json[] };
    expect(events.map(({ metadata }) => metadata.freeze?.change).filter(Boolean)).toEqual(
      expect.arrayContaining(['created', 'updated', 'deleted']),
    );
  });

  it('say whether they are active and when they start and end next, and are sent back as they were read', async () => {
    const { freezes, freeze } = await place();
    const active = await freeze({ recurrence: 'FREQ=DAILY' });
    const later = new Date(Date.parse(active.starts_at as string) + 24 * HOUR).toISOString();
    expect(active).toMatchObject({ active: true, next_starts_at: later, next_ends_at: active.ends_at });
    const past = await done(world.admin.post(freezes, PAST));
    expect(past).toMatchObject({ active: false, next_starts_at: null, next_ends_at: null });
    const read = { ...active, name: 'read a while ago', active: false, next_starts_at: fromNow(-50) };
    expect(await world.admin.put(`${freezes}/${active.id}`, read)).toMatchObject({
      status: 200,
      body: { name: 'read a while ago', active: true, next_starts_at: later },
    });
  });

  it('start later by the gap on the day whose clock leaves their start out', async () => {
    const { freeze } = await place();
    const window = await freeze({
      starts_at: '2025-03-01T01:30:00Z',
      ends_at: '2025-03-01T05:00:00Z',
      timezone: 'Europe/Berlin',
      recurrence: 'FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
    });
    expect(window).toMatchObject({
      next_starts_at: expect.stringMatching(/-03-\d\dT01:30:00.000Z$/) as string,
      next_ends_at: expect.stringMatching(/-03-\d\dT04:00:00.000Z$/) as string,
    });
  });

  it('refuse recurrences that never come, and times without an offset', async () => {
    const { freezes } = await place();
    expect(
      await world.admin.post(freezes, { ...PAST, recurrence: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' }),
    ).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/recurrence', detail: expect.stringContaining('never comes') as string }] },
    });
    expect(await world.admin.post(freezes, { ...PAST, recurrence: 'FREQ=WEEKLY;BYDAY=1MO' })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/recurrence', detail: expect.stringContaining('number in BYDAY') as string }] },
    });
    expect(await world.admin.post(freezes, { ...PAST, starts_at: '2020-01-01T00:00:00' })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/starts_at' }] },
    });
  });

  it.each([
    '2027-W05-1T00:00:00Z',
    '2027-001T00:00:00Z',
    '2027-01-01T00Z',
    '2027-01-01T00:00:00,5Z',
    '2027-01-01T10:00+01',
  ])('name the field of the time %s, which this server does not read', async (time) => {
    const { freezes } = await place();
    const answer = await world.admin.post(freezes, { name: 'now', starts_at: time, ends_at: '2028-01-01T00:00:00Z' });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer: '/starts_at' }] } });
  });

  it('refuse deploying, undeploying and rolling back there, and nothing elsewhere', async () => {
    const { environment, design, freeze, freezes, deploy } = await place();
    const before = await done(deploy());
    const window = await freeze({ message: 'inventory' });
    const frozen = {
      status: 409,
      body: {
        code: 'ENVIRONMENT_FROZEN',
        ends_at: window.ends_at,
        detail: expect.stringContaining('inventory') as string,
      },
    };
    expect(await deploy()).toMatchObject(frozen);
    expect(await deploy(people.editor)).toMatchObject(frozen);
    const elsewhere = await place();
    expect((await elsewhere.deploy()).status).toBe(202);
    // As if version 1 had been deployed, and then another.
    const { id, organization_id, workspace_id } = before;
    await world.sql(`UPDATE deployment SET status = 'succeeded', finished_at = now() WHERE id = $1`, [id]);
    const undeploy = () => people.admin.delete(`/api/pattern/deploy?id=${design.id}&environment_id=${environment.id}`);
    const [connection] = before.connections as string[];
    await world.sql(
      `INSERT INTO deployed_design (organization_id, workspace_id, design_id, environment_id, connection_id, deployment_id, design_version)
       VALUES ($1, $2, $3, $4, $5, $6, 2)`,
      [organization_id, workspace_id, design.id, environment.id, connection, id],
    );
    expect(await undeploy()).toMatchObject(frozen);
    expect(await people.admin.post(`/api/deployments/${id}/rollback`, { version: 1 })).toMatchObject(frozen);
    await done(world.admin.put(`${freezes}/${window.id}`, { ends_at: fromNow(-0.5) }));
    expect((await deploy()).status).toBe(202);
  });

  it('and other refusals come before anything is asked of a cluster', async () => {
    let calls = 0;
    const cluster = createServer((socket) => {
      calls++;
      socket.destroy();
    });
    await once(cluster.listen(0, '127.0.0.1'), 'listening');
    try {
      const { port } = cluster.address() as AddressInfo;
      const { deploy } = await place('production', `https://127.0.0.1:${port}`);
      const request = () => deploy(people.editor, { request_approval: true });
      expect((await request()).status).toBe(202);
      expect(calls).toBeGreaterThan(0);
      calls = 0;
      const quotas = `${scene.path}/quotas`;
      await done(world.admin.put(quotas, { max_deployments_per_day: 1 }));
      expect(await request()).toMatchObject({ status: 409, body: { code: 'QUOTA_EXCEEDED' } });
      await done(world.admin.put(quotas, { max_deployments_per_day: null }));
      expect(await deploy(people.editor)).toMatchObject({ status: 403, body: { code: 'APPROVAL_REQUIRED' } });
      expect(calls).toBe(0);
    } finally {
      cluster.close();
    }
  });

  it('are overridden by an admin of the organization who says why, which an event reports', async () => {
    const { freeze, deploy } = await place();
    await freeze();
    const override = { override_freeze: true, reason: 'a leak has to be closed' };
    expect(await deploy(people.admin, override)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await deploy(people.organizationAdmin, { override_freeze: true })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/reason' }] },
    });
    const deployed = await done(deploy(people.organizationAdmin, override));
    const { events } = (await world.admin.get(`/api/events?orgID=${world.organization}&acted_upon=${deployed.id}`))
      .body as { events: Json[] };
    expect(events.find(({ action }) => action === 'requested')?.metadata).toMatchObject({
      ...override,
      freeze: { name: 'now' },
    });
  });

  it('let requests for an approval wait until they end', async () => {
    const { freeze, freezes, deploy } = await place('production');
    const window = await freeze();
    const pending = await deploy(people.editor, { request_approval: true });
    expect(pending).toMatchObject({ status: 202, body: { status: 'pending_approval' } });
    // Whoever approves is told that nothing was planned, because the cluster does not answer.
    const plan_error = { code: 'CLUSTER_UNREACHABLE', detail: expect.stringMatching(/\w/) };
    const path = `/api/deployments/${pending.body.id}`;
    expect((await people.admin.get(path)).body).toMatchObject({ plan_id: null, plan_error });
    const { body: told } = await people.admin.get(`/api/events?acted_upon=${pending.body.id}&action=requested`);
    expect(told.events).toMatchObject([
      {
        description: expect.stringContaining('was requested without a plan, because a cluster could not be asked'),
        metadata: { plan_error },
      },
    ]);
    const approve = () => people.admin.post(`/api/deployments/${pending.body.id}/approve?async=true`);
    expect(await approve()).toMatchObject({ status: 409, body: { code: 'ENVIRONMENT_FROZEN' } });
    expect((await people.editor.get(`/api/deployments/${pending.body.id}`)).body.status).toBe('pending_approval');
    await done(world.admin.delete(`${freezes}/${window.id}`));
    expect((await approve()).status).toBe(202);
  });

  it('are bounded in number', async () => {
    const { freezes } = await place();
    for (let made = 0; made < 50; made++) await done(world.admin.post(freezes, { ...PAST, name: randomUUID() }));
    expect(await world.admin.post(freezes, PAST)).toMatchObject({ status: 409, body: { code: 'TOO_MANY_FREEZES' } });
  });
});
