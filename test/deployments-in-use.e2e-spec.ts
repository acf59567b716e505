import { setTimeout as pause } from 'node:timers/promises';
import { UnitOfWork } from '../src/core/database/unit-of-work.js';
import { DeployedDesignsStore } from '../src/deployments/deployed-designs.store.js';
import { Deployment } from '../src/deployments/deployment.entity.js';
import { type Answer, type Json, Person } from './support/person.js';
import { SilentCluster } from './support/silent-cluster.js';
import { done, type People, peopleOf, WorkspaceScene } from './support/workspace-scene.js';
import { World } from './support/world.js';

let world: World;
let people: People;
let cluster: SilentCluster;
let scene: WorkspaceScene;
let design: Json;
let environment: Json;
let connection: Json;

beforeAll(async () => {
  [world, cluster] = await Promise.all([World.start(), SilentCluster.start()]);
  people = await peopleOf(world);
}, 60_000);
afterAll(async () => {
  cluster.stop();
  await world.stop();
});

const stage = async (fields: object = {}): Promise<void> => {
  cluster.pickUp();
  scene = await WorkspaceScene.make(world, people);
  design = await scene.design();
  environment = await scene.environment(fields);
  connection = await scene.cluster(environment, cluster.address);
};
const refused = (status: number, code: string) => ({ status, body: { status, code } });

const ask = (by: Person, fields: object = {}): Promise<Answer> =>
  by.post('/api/pattern/deploy?async=true', { id: design.id, environment_id: environment.id, ...fields });
/** A request that keeps no plan, because its cluster is away. */
const request = (by = people.editor): Promise<Json> => cluster.away(() => done(ask(by, { request_approval: true })));
const cancel = (id: string, by = people.organizationAdmin): Promise<Answer> => by.post(`/api/deployments/${id}/cancel`);
const deployment = (id: string): Promise<Json> => done(world.admin.get(`/api/deployments/${id}`));
/** The record, once it holds; else the time limit of the test ends the waiting. */
async function once(id: string, holds: (now: Json) => boolean): Promise<Json> {
  for (;;) {
    const now = await deployment(id);
    if (holds(now)) return now;
    await pause(50);
  }
}
/** The record at its end, which a cluster that does not answer would put off. */
const ended = (id: string): Promise<Json> => {
  cluster.hangUp();
  return once(id, (now) => now.finished_at !== null);
};

/** As if a deployment of the design had succeeded. */
async function stand(): Promise<void> {
  const { id } = await request();
  await done(cancel(id, people.admin));
  await world.sql(
    `INSERT INTO deployed_design (design_id, connection_id, environment_id, organization_id, workspace_id, deployment_id, design_version)
     VALUES ($1, $2, $3, $4, $5, $6, 1)`,
    [design.id, connection.id, environment.id, world.organization, scene.id, id],
  );
}
const leave = () => world.sql('DELETE FROM deployed_design WHERE design_id = $1', [design.id]);

const connect = () => world.sql(`UPDATE connection SET status = 'connected' WHERE id = $1`, [connection.id]);

/** All that takes something away which a deployment uses. */
const TAKING: Record<string, () => Promise<Answer>> = {
  'deleting the design': () => people.admin.delete(`/api/pattern/${design.id}`),
  'deleting several designs': () => people.admin.post('/api/patterns/delete', { patterns: [{ id: design.id }] }),
  'deleting the connection': () => people.organizationAdmin.delete(`/api/integrations/connections/${connection.id}`),
  'setting the connection to deleted': () =>
    people.organizationAdmin.put(`/api/integrations/connections/${connection.id}`, { status: 'deleted' }),
  'taking the connection out of the environment': () =>
    people.organizationAdmin.delete(`/api/environments/${environment.id}/connections/${connection.id}`),
  'deleting the environment': () => people.organizationAdmin.delete(`/api/environments/${environment.id}`),
  'unassigning the environment': () => people.admin.delete(`${scene.path}/environments/${environment.id}`),
  'deleting the workspace': () => people.admin.delete(scene.path),
};

describe('what a deployment uses', () => {
  beforeEach(() => stage());

  it.each(Object.keys(TAKING))('is not taken away by %s while something is deployed there', async (way) => {
    await stand();
    const take = TAKING[way] as () => Promise<Answer>;
    if (way.startsWith('setting')) await connect();
    expect(await take()).toMatchObject({
      ...refused(409, 'IN_USE'),
      body: {
        deployments: [
          { design_id: design.id, environment_id: environment.id, connection_id: connection.id, status: 'deployed' },
        ],
        remedy: expect.stringContaining('Undeploy first'),
      },
    });
    await leave();
    expect((await take()).status).toBeLessThan(300);
  });

  it.each(Object.keys(TAKING))('is not taken away by %s while a deployment waits for an approval', async (way) => {
    const take = TAKING[way] as () => Promise<Answer>;
    const { id } = await request();
    if (way.startsWith('setting')) await connect();
    expect(await take()).toMatchObject({
      ...refused(409, 'IN_USE'),
      body: {
        deployments: [{ deployment_id: id, connection_id: connection.id, status: 'pending_approval' }],
        remedy: expect.stringContaining('cancel'),
      },
    });
    await done(cancel(id));
    expect((await take()).status).toBeLessThan(300);
  });

  it('is not taken away in any way while a deployment runs', async () => {
    await connect();
    const { id } = await done(ask(people.editor));
    await once(id, ({ status }) => status === 'running');
    for (const [way, take] of Object.entries(TAKING))
      expect({ way, ...(await take()) }).toMatchObject({ way, ...refused(409, 'IN_USE') });
    await done(cancel(id));
    await ended(id);
  }, 30_000);

  it('is not taken away by deleting the design with ?undeploy=true while a deployment has not ended', async () => {
    await stand();
    const { id } = await request();
    expect(await people.admin.delete(`/api/pattern/${design.id}?undeploy=true`)).toMatchObject({
      ...refused(409, 'IN_USE'),
      body: { deployments: [{ deployment_id: id }] },
    });
    expect(await world.sql(`SELECT FROM deployment WHERE design_id = $1 AND action = 'undeploy'`, [design.id])).toEqual(
      [],
    );
    await done(cancel(id));
    await leave();
  });

  it('lists a hundred deployments at most', async () => {
    for (let i = 0; i < 3; i++) await request();
    await world.sql(
      `INSERT INTO deployment (id, organization_id, workspace_id, design_id, design_version, environment_id, connection_ids, name, action, status)
       SELECT gen_random_uuid(), organization_id, workspace_id, design_id, 1, environment_id, connection_ids, name, action, status
         FROM deployment, generate_series(1, 50) WHERE design_id = $1`,
      [design.id],
    );
    const { body } = await people.admin.delete(scene.path);
    expect(body.detail).toContain('153 deployments have not ended');
    expect(body.deployments).toHaveLength(100);
    await done(people.admin.post(`${scene.path}/archive`));
  });

  it('stays when its environment is archived, and can be undeployed there', async () => {
    await stand();
    await done(people.organizationAdmin.post(`/api/environments/${environment.id}/archive`));
    expect(await ask(people.editor)).toMatchObject(refused(409, 'ENVIRONMENT_ARCHIVED'));
    const undeployed = await people.editor.delete(`/api/pattern/deploy?id=${design.id}&async=true`);
    expect(undeployed).toMatchObject({ status: 202, body: { action: 'undeploy' } });
    const { calls } = cluster;
    while (cluster.calls === calls) await pause(50);
    await cancel(undeployed.body.id);
    await ended(undeployed.body.id);
    await leave();
  });

  const RACES = Object.keys(TAKING).filter((way) => !way.startsWith('setting') && !way.includes('several'));
  it.each(RACES)(
    'is either deployed or taken away when %s races with deployments',
    async (way) => {
      for (let round = 0; round < 2; round++) {
        if (round > 0) await stage();
        const take = TAKING[way] as () => Promise<Answer>;
        const [taken, ...asked] = await Promise.all([take(), ...Array.from({ length: 5 }, () => ask(people.editor))]);
        const accepted = asked.filter(({ status }) => status === 202);
        expect([200, 204, 409]).toContain(taken.status);
        if (taken.status === 409) expect(['IN_USE', 'CONCURRENT_CHANGE']).toContain(taken.body.code);
        else expect(accepted).toEqual([]);
        for (const { status } of asked) expect([202, 400, 403, 404, 409]).toContain(status);
        for (const { body } of accepted) await cancel(body.id);
        for (const { body } of accepted) await ended(body.id);
      }
    },
    60_000,
  );
});

describe('a request that waits for an approval', () => {
  beforeEach(() => stage({ tier: 'production' }));

  const approve = (id: string, by = people.admin): Promise<Answer> => by.post(`/api/deployments/${id}/approve`);
  const kinds = async (id: string): Promise<string[]> =>
    (
      await world.sql<{ kind: string }>(
        `SELECT category || '.' || action AS kind FROM event WHERE acted_upon = $1 ORDER BY sequence`,
        [id],
      )
    ).map(({ kind }) => kind);

  /** What becomes invalid behind an old request: by whom is no matter, also when the database was changed by hand. */
  const CHANGES: Record<string, [() => Promise<unknown>, string]> = {
    'its requester left the workspace': [
      () => done(people.admin.delete(`${scene.path}/members/${people.editor.id}`)),
      'REQUESTER_NOT_ALLOWED',
    ],
    'its requester became a viewer': [
      () => done(people.admin.put(`${scene.path}/members/${people.editor.id}`, { role: 'viewer' })),
      'REQUESTER_NOT_ALLOWED',
    ],
    'the account of its requester was deactivated': [
      () => world.sql('UPDATE app_user SET deactivated_at = now() WHERE id = $1', [people.editor.id]),
      'REQUESTER_NOT_ALLOWED',
    ],
    'the environment was archived': [
      () => done(people.organizationAdmin.post(`/api/environments/${environment.id}/archive`)),
      'ENVIRONMENT_ARCHIVED',
    ],
    'the environment was unassigned': [
      () => world.sql('UPDATE workspace_environment SET deleted_at = now() WHERE workspace_id = $1', [scene.id]),
      'ENVIRONMENT_NOT_ASSIGNED',
    ],
    'the environment was deleted': [
      () => world.sql('UPDATE environment SET deleted_at = now() WHERE id = $1', [environment.id]),
      'ENVIRONMENT_NOT_ASSIGNED',
    ],
    'the environment lost the connection': [
      () => world.sql('UPDATE environment_connection SET deleted_at = now() WHERE connection_id = $1', [connection.id]),
      'CONNECTION_NOT_IN_ENVIRONMENT',
    ],
    'the connection was deleted': [
      () => world.sql('UPDATE connection SET deleted_at = now() WHERE id = $1', [connection.id]),
      'CONNECTION_NOT_IN_ENVIRONMENT',
    ],
    'the design was deleted': [
      () => world.sql('UPDATE design SET deleted_at = now() WHERE id = $1', [design.id]),
      'DESIGN_DELETED',
    ],
  };

  it.each(Object.keys(CHANGES))('is not carried out when %s, and says so', async (change) => {
    const { id } = await request();
    const [make, code] = CHANGES[change] as [() => Promise<unknown>, string];
    await make();
    const { calls } = cluster;
    const answer = await approve(id);
    await world.sql('UPDATE app_user SET deactivated_at = NULL WHERE id = $1', [people.editor.id]);
    expect(answer).toMatchObject({
      ...refused(409, code),
      body: { detail: expect.any(String), deployment: { id, status: 'failed', approved_by: null } },
    });
    expect(await deployment(id)).toMatchObject({ status: 'failed', error: { code } });
    expect(await kinds(id)).toEqual(['deployment.requested', 'deployment.failure']);
    expect(await world.sql(`SELECT FROM job WHERE payload->>'deployment' = $1`, [id])).toEqual([]);
    expect(cluster.calls).toBe(calls);
    expect(await approve(id)).toMatchObject(refused(409, 'NOT_PENDING'));
  });

  it('is not approved by its requester, whatever became of them, nor by an editor, nor with a token that may only deploy', async () => {
    const { id } = await request();
    expect(await approve(id, people.editor)).toMatchObject(refused(403, 'OWN_REQUEST'));
    await done(people.admin.put(`${scene.path}/members/${people.editor.id}`, { role: 'admin' }));
    expect(await approve(id, people.editor)).toMatchObject(refused(403, 'OWN_REQUEST'));
    await done(people.admin.put(`${scene.path}/members/${people.editor.id}`, { role: 'editor' }));
    const other = await world.person();
    await done(people.admin.put(`${scene.path}/members/${other.id}`, { role: 'editor' }));
    expect(await approve(id, other)).toMatchObject(refused(403, 'FORBIDDEN'));
    const { token } = await done(
      people.admin.post('/api/identity/tokens', { name: 'ci', scopes: ['deploy', 'write'] }),
    );
    const pipeline = new Person(world.baseUrl, token as string);
    expect(await approve(id, pipeline)).toMatchObject(refused(403, 'SCOPE_MISSING'));
    expect((await deployment(id)).status).toBe('pending_approval');
    await done(cancel(id, people.editor));
  });

  it('is not left without approvers when the last admin of the workspace leaves', async () => {
    const { id } = await request();
    for (const { id: userId } of [world.admin, people.admin])
      await done(people.organizationAdmin.delete(`${scene.path}/members/${userId}`));
    expect(await approve(id)).toMatchObject({ status: 404 });
    const approved = await people.organizationAdmin.post(`/api/deployments/${id}/approve?async=true`);
    expect(approved).toMatchObject({ status: 202, body: { approved_by: people.organizationAdmin.id } });
    await cancel(id);
    await ended(id);
  });

  it('is withdrawn by its requester, and by no other editor', async () => {
    const { id } = await request();
    const other = await world.person();
    await done(people.admin.put(`${scene.path}/members/${other.id}`, { role: 'editor' }));
    expect(await cancel(id, other)).toMatchObject(refused(403, 'FORBIDDEN'));
    expect(await cancel(id, people.editor)).toMatchObject({ status: 200, body: { status: 'cancelled' } });
  });
});

describe('a deployment that waits for its turn', () => {
  /** What is accepted while another deployment of the same design runs there begins when that one ends. */
  async function behind(second: () => Promise<Json>, change: () => Promise<unknown>): Promise<Json> {
    const first = await done(ask(world.admin));
    await once(first.id, ({ status }) => status === 'running');
    const { id } = await second();
    expect(await deployment(id)).toMatchObject({ status: 'queued', queue_position: 1 });
    await change();
    await done(cancel(first.id));
    const outcome = await ended(id);
    expect(outcome).toMatchObject({ status: 'failed', started_at: null, resources: [] });
    expect(
      await world.sql(`SELECT FROM event WHERE acted_upon = $1 AND category = 'deployment' AND action = 'failure'`, [
        id,
      ]),
    ).toHaveLength(1);
    return outcome;
  }
  it('does not begin when its requester has been removed', async () => {
    await stage();
    const outcome = await behind(
      () => done(ask(people.editor)),
      () => done(people.admin.delete(`${scene.path}/members/${people.editor.id}`)),
    );
    expect(outcome).toMatchObject({ error: { code: 'REQUESTER_NOT_ALLOWED' } });
  }, 30_000);

  it('is cancelled by an admin who did not request it, and by archiving the workspace', async () => {
    for (const stop of [(id: string) => cancel(id, people.admin), () => people.admin.post(`${scene.path}/archive`)]) {
      await stage();
      const first = await done(ask(world.admin));
      await once(first.id, ({ status }) => status === 'running');
      const { id } = await done(ask(people.editor));
      expect((await deployment(id)).status).toBe('queued');
      expect(await stop(id)).toMatchObject({ status: 200 });
      expect(await deployment(id)).toMatchObject({ status: 'cancelled' });
      expect(await world.sql(`SELECT user_id FROM event WHERE acted_upon = $1 AND action = 'cancelled'`, [id])).toEqual(
        [{ user_id: people.admin.id }],
      );
      cluster.hangUp();
      await ended(first.id);
    }
  }, 60_000);

  it('does not begin when its approver has been removed', async () => {
    await stage({ tier: 'production' });
    const { id } = await request();
    const outcome = await behind(
      () => done(people.admin.post(`/api/deployments/${id}/approve?async=true`)),
      () => done(world.admin.delete(`${scene.path}/members/${people.admin.id}`)),
    );
    expect(outcome).toMatchObject({ error: { code: 'APPROVER_NOT_ALLOWED' } });
  }, 30_000);

  it('does not begin when its environment has become production, or is archived', async () => {
    await stage({ tier: 'staging' });
    const tier = (by: Person, to: string) => by.put(`/api/environments/${environment.id}`, { tier: to });
    expect(await tier(people.admin, 'production')).toMatchObject(refused(403, 'FORBIDDEN'));
    const promoted = await behind(
      () => done(ask(people.editor)),
      () => done(tier(people.organizationAdmin, 'production')),
    );
    expect(promoted).toMatchObject({ error: { code: 'APPROVAL_REQUIRED' } });

    await stage();
    const archived = await behind(
      () => done(ask(people.editor)),
      () => done(people.organizationAdmin.post(`/api/environments/${environment.id}/archive`)),
    );
    expect(archived).toMatchObject({ error: { code: 'ENVIRONMENT_ARCHIVED' } });
  }, 60_000);
});

describe('a target that is not named', () => {
  const plan = (fields: object = {}) => people.admin.post('/api/pattern/deploy/plan', { id: design.id, ...fields });
  const deploy = (fields: object = {}) => ask(people.admin, { environment_id: undefined, ...fields });
  const undeploy = () => people.admin.delete(`/api/pattern/deploy?id=${design.id}&async=true`);

  it('is the place where the design is deployed already, for deploy, plan and undeploy', async () => {
    await stage({ tier: 'production' });
    const other = await scene.environment();
    await scene.cluster(other, cluster.address);
    const several = { status: 400, body: { errors: [{ pointer: '/environment_id' }] } };
    expect([await deploy(), await plan()]).toMatchObject([several, several]);
    await stand();
    for (const act of [deploy, undeploy]) {
      const asked = await act();
      expect(asked).toMatchObject({
        status: 202,
        body: { environment_id: environment.id, connections: [connection.id] },
      });
      await cancel(asked.body.id as string);
      await ended(asked.body.id as string);
      cluster.pickUp();
    }
    cluster.hangUp();
    expect(await plan()).toMatchObject({ status: 502 });
    expect((await deploy({ environment_id: other.id })).body.environment_id).toBe(other.id);
    await leave();
  });

  it('is not mistaken for one that the caller may not see, which is 404 before anything else', async () => {
    const { id: organization_id } = await done(world.admin.post('/api/identity/orgs', { name: `other ${design.id}` }));
    const foreign = await done(
      world.admin.post('/api/integrations/connections', {
        ...{ name: 'foreign', kind: 'kubernetes', organization_id },
        ...{ metadata: { server: cluster.address }, credential_secret: { token: 'x' } },
      }),
    );
    const elsewhere = await done(world.admin.post('/api/environments', { name: 'foreign', organization_id }));
    scene = await WorkspaceScene.make(world, people);
    design = await scene.design();
    const targets = [{ connection_ids: [foreign.id] }, { environment_id: elsewhere.id }];
    const asked = async () => {
      const answers: number[] = [];
      for (const by of [people.admin, world.admin])
        for (const target of targets) {
          const body = { id: design.id, ...target };
          answers.push((await by.post('/api/pattern/deploy', body)).status);
          answers.push((await by.post('/api/pattern/deploy/plan', body)).status);
          answers.push((await by.delete('/api/pattern/deploy', { body })).status);
        }
      return new Set(answers);
    };
    expect(await asked()).toEqual(new Set([404]));
    expect(await deploy()).toMatchObject({ status: 400, body: { errors: [{ pointer: '/environment_id' }] } });
    await done(people.admin.post(`${scene.path}/archive`));
    expect(await asked()).toEqual(new Set([404]));
  });
});

it('keeps the versions whose objects failed deployments have left, until one succeeds', async () => {
  await stage();
  await stand();
  const [deployed, unit] = [world.get(DeployedDesignsStore), world.get(UnitOfWork)];
  const requested: string[] = [];
  for (let count = 0; count < 3; count++) {
    const { id } = await request();
    await done(cancel(id, people.admin));
    requested.push(id);
  }
  const place = { designId: design.id as string, environmentId: environment.id as string };
  const versionsAfter = (change: () => Promise<void>) =>
    unit.runAsSystem('test', async () => {
      await change();
      const { designVersion, earlierVersions, hasPrevious } = (await deployed.find(place, connection.id)) ?? {};
      return [designVersion, earlierVersions, hasPrevious];
    });
  const [second, third, fourth] = requested.map((id, index) =>
    Object.assign(new Deployment(), {
      ...{ ...place, id, organizationId: world.organization, workspaceId: scene.id },
      ...{ designVersion: index + 2, renderings: {} },
    }),
  ) as [Deployment, Deployment, Deployment];
  const begin = (one: Deployment) => deployed.begin(one, connection.id, { objects: [], namespace: null });
  expect(await versionsAfter(() => begin(second))).toEqual([2, [1], true]);
  expect(await versionsAfter(() => deployed.keepBoth(second, connection.id))).toEqual([2, [1], false]);
  expect(await versionsAfter(() => begin(third))).toEqual([3, [1, 2], true]);
  expect(await versionsAfter(() => deployed.revert(third, connection.id))).toEqual([2, [1], false]);
  expect(await versionsAfter(() => begin(third))).toEqual([3, [1, 2], true]);
  expect(await versionsAfter(() => deployed.keepBoth(third, connection.id))).toEqual([3, [1, 2], false]);
  expect(await versionsAfter(() => begin(fourth))).toEqual([4, [1, 2, 3], true]);
  expect(await versionsAfter(() => deployed.complete(fourth, connection.id, []))).toEqual([4, [], false]);
  expect(await versionsAfter(() => begin(third))).toEqual([3, [4], true]);
  expect(await versionsAfter(() => deployed.revert(third, connection.id))).toEqual([4, [], false]);
});
