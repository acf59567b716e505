import { randomUUID } from 'node:crypto';
import type { Answer, Json } from './support/person.js';
import { done, NEW_DESIGN, type People, peopleOf, WorkspaceScene } from './support/workspace-scene.js';
import { World } from './support/world.js';

let world: World;
let people: People;
let scene: WorkspaceScene;

beforeAll(async () => {
  // Everyone waits for the workspace, nobody for a connection.
  world = await World.start({ DATABASE_POOL: '32' });
  people = await peopleOf(world);
}, 120_000);
beforeEach(async () => (scene = await WorkspaceScene.make(world, people)));
afterAll(() => world.stop());

const RACING = Array.from({ length: 30 }, (_, i) => i);
const limit = (quotas: object) => done(world.admin.put(`${scene.path}/quotas`, quotas));
const used = async (): Promise<Json> => (await world.admin.get(`${scene.path}/quotas`)).body.use;
const full = (key: string, most: number, use = most) => ({
  status: 409,
  body: { code: 'QUOTA_EXCEEDED', key, limit: most, use, detail: expect.stringContaining(key) },
});
const tally = (answers: Answer[]) => {
  const codes = answers.map(({ status, body }) => (status < 300 ? 'passed' : `${status} ${body.code}`));
  return Object.fromEntries([...new Set(codes)].sort().map((code) => [code, codes.filter((c) => c === code).length]));
};

describe('the quotas of a workspace', () => {
  it('are unlimited until an admin of the organization sets them, and read by every member', async () => {
    const path = `${scene.path}/quotas`;
    expect((await people.viewer.get(path)).body).toEqual({
      max_designs: null,
      max_environments: null,
      max_members: null,
      max_deployments_per_day: null,
      use: { designs: 0, environments: 0, members: 4, deployments_per_day: 0 },
    });
    expect((await people.admin.put(path, { max_designs: 1 })).status).toBe(403);
    expect((await people.member.get(path)).status).toBe(404);
    expect((await people.organizationAdmin.put(path, { max_designs: 0, max_members: 10 })).body).toMatchObject({
      max_designs: 0,
      max_members: 10,
      max_environments: null,
    });
    const read = (await people.organizationAdmin.get(path)).body;
    expect((await people.organizationAdmin.put(path, { ...read, max_designs: null })).body).toMatchObject({
      max_designs: null,
      max_members: 10,
    });
    const [event] = (await people.viewer.get(`${scene.path}/activity?action=quota_changed`)).body.events;
    expect(event).toMatchObject({ category: 'workspace', metadata: { max_designs: null, max_members: 10 } });
  });

  it('are whole numbers of at least 0', async () => {
    for (const max_designs of [-1, 1.5, '3', 3_000_000_000, true])
      expect(await world.admin.put(`${scene.path}/quotas`, { max_designs })).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/max_designs' }] },
      });
    expect((await world.admin.put(`${scene.path}/quotas`, { max_clusters: 1 })).status).toBe(400);
  });
});

describe('max_designs', () => {
  it('holds whichever way a design comes in, and leaves alone what is there', async () => {
    const [kept, gone] = [await scene.design(), await scene.design()];
    await done(world.admin.delete(`/api/pattern/${gone.id}`));
    await limit({ max_designs: 1 });
    const refused = full('max_designs', 1);
    expect(await people.editor.post('/api/pattern', { ...NEW_DESIGN, workspace_id: scene.id })).toMatchObject(refused);
    expect(
      await people.editor.upload('/api/pattern/import', 'a.yaml', NEW_DESIGN.pattern_data.pattern_file, {
        workspace_id: scene.id,
      }),
    ).toMatchObject(refused);
    expect(await world.admin.post(`/api/pattern/${gone.id}/restore`)).toMatchObject(refused);
    const other = await (await WorkspaceScene.make(world, people)).design();
    expect(await people.editor.post(`${scene.path}/designs/${other.id}`)).toMatchObject(refused);
    expect((await people.editor.post(`${scene.path}/designs/${kept.id}`)).status).toBe(200);
    await limit({ max_designs: 0 });
    expect((await people.editor.put('/api/pattern/yaml', { id: kept.id, name: 'renamed' })).status).toBe(200);
    await limit({ max_designs: 2 });
    expect((await people.editor.post(`${scene.path}/designs/${other.id}`)).status).toBe(200);
  });

  it('is never passed by racing creations and moves', async () => {
    await limit({ max_designs: 5 });
    const other = await WorkspaceScene.make(world, people);
    const movable = await Promise.all([1, 2, 3, 4, 5].map(() => other.design()));
    const answers = await Promise.all([
      ...RACING.slice(5).map(() => people.editor.post('/api/pattern', { ...NEW_DESIGN, workspace_id: scene.id })),
      ...movable.map(({ id }) => people.editor.post(`${scene.path}/designs/${id}`)),
    ]);
    expect(tally(answers)).toEqual({ passed: 5, '409 QUOTA_EXCEEDED': 25 });
    expect((await used()).designs).toBe(5);
  });
});

describe('max_environments', () => {
  it('is never passed by racing assignments, nor by the restore of an environment', async () => {
    await limit({ max_environments: 3 });
    const environments = await Promise.all(RACING.map(() => scene.looseEnvironment()));
    const answers = await Promise.all(
      environments.map(({ id }) => world.admin.post(`${scene.path}/environments/${id}`)),
    );
    expect(tally(answers)).toEqual({ passed: 3, '409 QUOTA_EXCEEDED': 27 });
    const assigned = environments.filter((_, i) => answers[i]?.status === 200);
    expect((await world.admin.post(`${scene.path}/environments/${assigned[0].id}`)).status).toBe(200);

    await done(world.admin.delete(`/api/environments/${assigned[0].id}`));
    const waiting = environments.find((_, i) => answers[i]?.status === 409);
    await done(world.admin.post(`${scene.path}/environments/${waiting.id}`));
    expect(await world.admin.post(`/api/environments/${assigned[0].id}/restore`)).toMatchObject(
      full('max_environments', 3),
    );
    await done(world.admin.delete(`${scene.path}/environments/${waiting.id}`));
    expect((await world.admin.post(`/api/environments/${assigned[0].id}/restore`)).status).toBe(200);
    expect((await used()).environments).toBe(3);
  });
});

describe('max_members', () => {
  it('counts users once, however they have access, and holds for teams and who joins them', async () => {
    await limit({ max_members: 5 });
    const [one, two] = await Promise.all([world.person(), world.person()]);
    const team = await scene.team(people.viewer, one);
    expect((await people.admin.put(`${scene.path}/teams/${team.id}`, { role: 'editor' })).status).toBe(200);
    expect(await used()).toMatchObject({ members: 5 });
    expect((await people.admin.put(`${scene.path}/members/${one.id}`, { role: 'admin' })).status).toBe(200);
    expect(await people.admin.put(`${scene.path}/members/${two.id}`, { role: 'viewer' })).toMatchObject(
      full('max_members', 5),
    );
    const larger = await scene.team(people.viewer, two);
    expect(await people.admin.post(`${scene.path}/teams/${larger.id}`, { role: 'viewer' })).toMatchObject(
      full('max_members', 5),
    );
    const teams = `/api/identity/orgs/${world.organization}/teams`;
    expect(await world.admin.post(`${teams}/${team.id}/users/${two.id}`)).toMatchObject(full('max_members', 5));
    await limit({ max_members: null });
    expect((await world.admin.post(`${teams}/${team.id}/users/${two.id}`)).status).toBeLessThan(300);
    expect(await used()).toMatchObject({ members: 6 });
  });

  it('is never passed by racing grants', async () => {
    await limit({ max_members: 6 });
    const newcomers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => world.person()));
    const answers = await Promise.all(
      newcomers.map(({ id }) => people.admin.put(`${scene.path}/members/${id}`, { role: 'viewer' })),
    );
    expect(tally(answers)).toEqual({ passed: 2, '409 QUOTA_EXCEEDED': 4 });
  }, 60_000);
});

describe('max_deployments_per_day', () => {
  it('is never passed by racing deployments; a day is a UTC day, and only deployments count', async () => {
    const design = await scene.design();
    await scene.cluster(await scene.environment(), 'https://127.0.0.1:9');
    await limit({ max_deployments_per_day: 4 });
    const deploy = () => people.editor.post('/api/pattern/deploy?async=true', { id: design.id });
    const answers = await Promise.all(RACING.map(deploy));
    expect(tally(answers)).toEqual({ passed: 4, '409 QUOTA_EXCEEDED': 26 });
    expect(await deploy()).toMatchObject(full('max_deployments_per_day', 4));
    expect(await used()).toMatchObject({ deployments_per_day: 4 });

    const rollback = await people.editor.post(
      `/api/deployments/${answers.find((a) => a.status < 300)?.body.id}/rollback`,
    );
    expect(rollback.body.code).not.toBe('QUOTA_EXCEEDED');
    const undeploy = await people.editor.delete(`/api/pattern/deploy?id=${design.id}&async=true`);
    expect(undeploy.body.code).not.toBe('QUOTA_EXCEEDED');

    await world.sql(
      `UPDATE deployment SET created_at = date_trunc('day', now(), 'UTC') - interval '1 ms' WHERE workspace_id = $1`,
      [scene.id],
    );
    expect(await used()).toMatchObject({ deployments_per_day: 0 });
    expect((await deploy()).status).toBe(202);
    expect((await people.editor.post('/api/pattern/deploy?async=true', { id: randomUUID() })).status).toBe(404);
  }, 60_000);
});
