import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Json, Person } from './support/person.js';
import { done, NEW_DESIGN, type People, peopleOf, WorkspaceScene } from './support/workspace-scene.js';
import { World } from './support/world.js';

let world: World;
let people: People;
let scene: WorkspaceScene;
/** A cluster that takes calls and never answers. */
let silent: Server;

beforeAll(async () => {
  world = await World.start();
  people = await peopleOf(world);
  silent = createServer();
  await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
}, 120_000);
beforeEach(async () => (scene = await WorkspaceScene.make(world, people)));
afterAll(async () => {
  silent.close();
  await world.stop();
});

const refusal = (status: number, code: string) => ({ status, body: { code } });
const kindsOf = async (person: Person): Promise<string[]> =>
  (await person.get(`${scene.path}/activity?order=sequence&pagesize=100`)).body.events.map(
    (event: Json) => `${event.category}.${event.action}`,
  );
const silentCluster = () => `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;

it('a workspace is not there for who names another organization', async () => {
  const { organization } = people.outsider as Person & { organization: string };
  const of = (orgID: string) => people.viewer.get(`${scene.path}?orgID=${orgID}`);
  expect(await of(world.organization)).toMatchObject({ status: 200, body: { id: scene.id } });
  expect(await of(world.organization.toUpperCase())).toMatchObject({ status: 200 });
  const [elsewhere, absent] = [await of(organization), await people.viewer.get(`/api/workspaces/${randomUUID()}`)];
  expect([elsewhere.status, elsewhere.body.code]).toEqual([absent.status, absent.body.code]);
  expect(elsewhere).toMatchObject(refusal(404, 'NOT_FOUND'));
  expect(await of('mine')).toMatchObject({ status: 400, body: { errors: [{ pointer: 'orgID' }] } });
});

describe('the members of a workspace', () => {
  it('are listed with what was granted to them and what their teams give them; the strongest counts', async () => {
    const team = await scene.team(people.viewer, people.member);
    await done(people.admin.put(`${scene.path}/teams/${team.id}`, { role: 'editor' }));
    const { body } = await people.viewer.get(`${scene.path}/members`);
    expect(body).toMatchObject({ total_count: 5 });
    const through = [{ team_id: team.id, name: team.name, role: 'editor' }];
    const of = (person: Person) => body.members.find((each: Json) => each.user_id === person.id);
    expect(of(people.viewer)).toMatchObject({ email: people.viewer.email, role: 'editor', granted: 'viewer', through });
    expect(of(people.member)).toMatchObject({ role: 'editor', granted: null, through });
    expect(of(people.admin)).toMatchObject({ role: 'admin', granted: 'admin', through: [] });
    expect((await people.viewer.post('/api/pattern', { ...NEW_DESIGN, workspace_id: scene.id })).status).toBe(201);

    expect(await people.admin.delete(`${scene.path}/members/${people.member.id}`)).toMatchObject(
      refusal(409, 'MEMBER_THROUGH_TEAM'),
    );
    await done(people.admin.delete(`${scene.path}/members/${people.viewer.id}`));
    expect((await people.viewer.get(scene.path)).status).toBe(200);
    await done(people.admin.delete(`${scene.path}/teams/${team.id}`));
    expect((await people.viewer.get(scene.path)).status).toBe(404);
  });

  it('may leave, the last admin too: admins of the organization remain', async () => {
    for (const { id } of [people.owner, people.viewer, people.editor])
      await done(people.admin.delete(`${scene.path}/members/${id}`));
    expect((await people.admin.delete(`${scene.path}/members/${people.admin.id}`)).status).toBe(200);
    expect((await people.admin.get(scene.path)).status).toBe(404);
    expect((await people.organizationAdmin.put(scene.path, { name: 'still ruled' })).status).toBe(200);
  });

  it('are of the organization, and have one of three roles', async () => {
    expect((await people.admin.put(`${scene.path}/members/${people.outsider.id}`, { role: 'viewer' })).status).toBe(
      404,
    );
    expect(await people.admin.put(`${scene.path}/members/${people.member.id}`, { role: 'owner' })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/role' }] },
    });
    expect((await people.editor.put(`${scene.path}/members/${people.member.id}`, { role: 'viewer' })).status).toBe(403);
  });
});

describe('the teams of a workspace', () => {
  it('are granted a role, given another and taken away, each published as an event', async () => {
    const team = await scene.team(people.member);
    const path = `${scene.path}/teams/${team.id}`;
    expect(await people.admin.post(path, { role: 'viewer' })).toMatchObject({
      status: 200,
      body: { team_id: team.id, name: team.name, role: 'viewer', members: 1 },
    });
    expect((await people.member.get(scene.path)).status).toBe(200);
    expect((await people.member.put(scene.path, { name: 'mine' })).status).toBe(403);
    expect((await people.admin.put(path, { role: 'admin' })).body.role).toBe('admin');
    expect((await people.member.put(scene.path, { name: 'mine' })).status).toBe(200);
    expect((await people.viewer.get(`${scene.path}/teams`)).body).toMatchObject({
      total_count: 1,
      teams: [{ team_id: team.id, role: 'admin' }],
    });
    expect((await people.admin.delete(path)).status).toBe(200);
    expect((await people.member.get(scene.path)).status).toBe(404);
    expect((await people.admin.delete(path)).status).toBe(404);
    const kinds = (await kindsOf(people.admin)).filter((kind) => kind.startsWith('member.')).slice(-3);
    expect(kinds).toEqual(['member.added', 'member.role_changed', 'member.removed']);
    const feed = await people.admin.get(`${scene.path}/activity?acted_upon=${team.id}`);
    expect(feed.body.events[0]).toMatchObject({ metadata: { team: team.name, of: 'workspace' } });
  });

  it('are teams of the same organization that are still there, granted by admins', async () => {
    const team = await scene.team(people.member);
    const foreign = await done(
      people.outsider.post(`/api/identity/orgs/${(people.outsider as Json).organization}/teams`, { name: 'theirs' }),
    );
    expect((await people.admin.put(`${scene.path}/teams/${foreign.id}`, { role: 'viewer' })).status).toBe(404);
    expect((await people.admin.put(`${scene.path}/teams/${randomUUID()}`, { role: 'viewer' })).status).toBe(404);
    expect((await people.editor.put(`${scene.path}/teams/${team.id}`, { role: 'viewer' })).status).toBe(403);
    for (const role of ['owner', 'none', '', null])
      expect((await people.admin.put(`${scene.path}/teams/${team.id}`, { role })).status).toBe(400);
    await done(people.admin.put(`${scene.path}/teams/${team.id}`, { role: 'viewer' }));
    await done(world.admin.delete(`/api/identity/orgs/${world.organization}/teams/${team.id}`));
    expect((await people.admin.get(`${scene.path}/teams`)).body.teams).toEqual([]);
    expect((await people.member.get(scene.path)).status).toBe(404);
    expect((await people.admin.put(`${scene.path}/teams/${team.id}`, { role: 'viewer' })).status).toBe(404);
  });
});

describe('the permissions of a workspace', () => {
  const permission = async (person: Person, operation: string): Promise<Json> => {
    const { status, body } = await person.get(`${scene.path}/permissions`);
    expect(status).toBe(200);
    return body.permissions.find((each: Json) => each.operation === operation);
  };
  const grantors = ({ granted_by }: Json): string[] => granted_by.map((each: Json) => each.email);

  it('say what the caller may do, and of the rest why not and who could grant it', async () => {
    expect((await people.viewer.get(`${scene.path}/permissions`)).body.role).toBe('viewer');
    expect((await people.organizationAdmin.get(`${scene.path}/permissions`)).body.role).toBe('admin');
    expect(await permission(people.viewer, 'design.read')).toEqual({
      operation: 'design.read',
      allowed: true,
      reason: null,
      granted_by: [],
    });
    const create = await permission(people.viewer, 'design.create');
    expect(create).toMatchObject({ allowed: false, reason: 'design.create needs the role editor; yours is viewer' });
    expect(grantors(create)).toEqual(
      expect.arrayContaining([people.admin.email, people.organizationAdmin.email, people.owner.email]),
    );
    expect(grantors(create)).not.toContain(people.editor.email);
    const quotas = await permission(people.admin, 'workspace.setQuotas');
    expect(quotas.allowed).toBe(false);
    expect(grantors(quotas)).toContain(people.organizationAdmin.email);
    expect(grantors(quotas)).not.toContain(people.admin.email);
    expect((await permission(people.organizationAdmin, 'workspace.setQuotas')).allowed).toBe(true);
    expect((await people.member.get(`${scene.path}/permissions`)).status).toBe(404);
    expect((await permission(people.viewer, 'workspace.leave')).allowed).toBe(true);
    expect(await permission(people.organizationAdmin, 'workspace.leave')).toMatchObject({
      allowed: false,
      reason: expect.stringContaining('granted to you'),
    });
  });

  it('say what an archived workspace refuses', async () => {
    await done(people.admin.post(`${scene.path}/archive`));
    expect(await permission(people.admin, 'design.create')).toMatchObject({
      allowed: false,
      reason: 'the workspace is archived',
    });
    expect((await permission(people.admin, 'workspace.restore')).allowed).toBe(true);
    expect((await permission(people.admin, 'design.read')).allowed).toBe(true);
  });
});

describe('an archived workspace', () => {
  it('is read by its admins and those of the organization only, takes no write, and comes back whole', async () => {
    const design = await scene.design(world.admin, 'kept');
    await done(people.editor.put('/api/pattern/yaml', { id: design.id, visibility: 'organization' }));
    const environment = await scene.environment();
    const loose = await scene.looseEnvironment();
    const elsewhere = await (await WorkspaceScene.make(world, people)).design();
    expect((await people.viewer.post(`${scene.path}/archive`)).status).toBe(403);
    expect(await people.admin.post(`${scene.path}/archive`)).toMatchObject({
      status: 200,
      body: { status: 'archived' },
    });
    expect((await people.admin.post(`${scene.path}/archive`)).status).toBe(200);

    for (const person of [people.viewer, people.editor]) {
      expect((await person.get(scene.path)).status).toBe(404);
      expect((await person.get(`/api/pattern/${design.id}`)).status).toBe(404);
      expect((await person.get(`/api/environments/${environment.id}`)).status).toBe(404);
    }
    for (const person of [people.admin, people.organizationAdmin]) {
      expect((await person.get(scene.path)).body.status).toBe('archived');
      expect((await person.get(`${scene.path}/designs`)).body.total_count).toBe(1);
      expect((await person.get(`/api/pattern/${design.id}?populate=pattern_file`)).status).toBe(200);
    }
    const { path } = scene;
    const writes: [string, string, object?][] = [
      ['PUT', path, { name: 'x' }],
      ['PUT', `${path}/members/${people.member.id}`, { role: 'viewer' }],
      ['DELETE', `${path}/members/${people.viewer.id}`],
      ['PUT', `${path}/teams/${randomUUID()}`, { role: 'viewer' }],
      ['PUT', `${path}/quotas`, { max_designs: 1 }],
      ['POST', `${path}/environments/${loose.id}`],
      ['DELETE', `${path}/environments/${environment.id}`],
      ['POST', `${path}/designs/${elsewhere.id}`],
      ['DELETE', `${path}/designs/${design.id}`],
      ['POST', '/api/pattern', { ...NEW_DESIGN, workspace_id: scene.id }],
      ['PUT', '/api/pattern/yaml', { id: design.id, name: 'x' }],
      ['DELETE', `/api/pattern/${design.id}`],
    ];
    for (const [method, target, body] of writes)
      expect({ target, ...(await world.admin.call(method, target, { body })) }).toMatchObject({
        target,
        ...refusal(409, 'WORKSPACE_ARCHIVED'),
      });

    expect(await people.admin.post(`${path}/restore`)).toMatchObject({ status: 200, body: { status: 'active' } });
    expect((await people.viewer.get(path)).status).toBe(200);
    expect((await people.editor.get(`/api/environments/${environment.id}`)).status).toBe(200);
    expect((await people.editor.put('/api/pattern/yaml', { id: design.id, name: 'x' })).status).toBe(200);
  }, 60_000);

  it('ends its deployments and takes none, also when they race', async () => {
    const design = await scene.design();
    await scene.cluster(await scene.environment(), silentCluster());
    const deploy = () => people.editor.post('/api/pattern/deploy?async=true', { id: design.id });
    expect((await deploy()).status).toBe(202);
    const [archived, ...raced] = await Promise.all([
      people.admin.post(`${scene.path}/archive`),
      ...Array.from({ length: 8 }, deploy),
    ]);
    expect(archived.status).toBe(200);
    // Taken or refused: by what is missed first when access is lost in the middle of a call.
    for (const { status } of raced) expect([202, 400, 403, 404, 409]).toContain(status);
    expect((await deploy()).status).toBe(404);
    expect(await world.admin.post('/api/pattern/deploy?async=true', { id: design.id })).toMatchObject(
      refusal(409, 'WORKSPACE_ARCHIVED'),
    );
    const unfinished = () =>
      world.sql(`SELECT id, status FROM deployment WHERE workspace_id = $1 AND finished_at IS NULL`, [scene.id]);
    for (let left = await unfinished(); left.length > 0; left = await unfinished())
      await new Promise((again) => setTimeout(again, 200));
    const { body } = await world.admin.get(`/api/pattern/${design.id}/deployments`);
    // One that begins between the archive and its cancellation fails for what it may not do any more.
    const ends = (body.deployments as Json[]).map(({ status, error }) =>
      status === 'failed' ? ([403, 404, 409].includes(error.status) ? 'cancelled' : error) : status,
    );
    expect(new Set(ends)).toEqual(new Set(['cancelled']));
  }, 60_000);
});

describe('a deleted workspace', () => {
  it('hides its designs and mappings, and brings them back with a restore', async () => {
    const design = await scene.design();
    const gone = await scene.design();
    await done(world.admin.delete(`/api/pattern/${gone.id}`));
    const environment = await scene.environment();
    expect((await people.editor.delete(scene.path)).status).toBe(403);
    expect(await people.admin.delete(scene.path)).toMatchObject({
      status: 200,
      body: { deleted_at: expect.any(String) },
    });
    for (const path of [scene.path, `${scene.path}/designs`, `/api/pattern/${design.id}`])
      expect({ path, status: (await world.admin.get(path)).status }).toEqual({ path, status: 404 });
    expect((await people.viewer.get(`/api/environments/${environment.id}`)).status).toBe(404);
    const listed = `/api/workspaces?orgID=${world.organization}&pagesize=500&filter={"deleted_at":true}`;
    const ids = async (person: Person) => (await person.get(listed)).body.workspaces.map((each: Json) => each.id);
    expect(await ids(people.admin)).toContain(scene.id);
    expect(await ids(people.viewer)).not.toContain(scene.id);
    expect((await people.editor.post(`${scene.path}/restore`)).status).toBe(404);

    expect(await people.admin.post(`${scene.path}/restore`)).toMatchObject({ status: 200, body: { deleted_at: null } });
    expect((await people.viewer.get(`${scene.path}/designs`)).body.designs.map((each: Json) => each.id)).toEqual([
      design.id,
    ]);
    expect((await people.viewer.get(`${scene.path}/environments`)).body.environments).toMatchObject([
      { id: environment.id },
    ]);
    expect((await people.viewer.get(scene.path)).status).toBe(200);
  });

  it.each(['workspace', 'environment'])('loses no assignment when the %s is restored first', async (first) => {
    const environment = await scene.environment();
    const connection = await done(
      world.admin.post('/api/integrations/connections', {
        name: 'kept',
        kind: 'custom',
        organization_id: world.organization,
      }),
    );
    const paths = {
      workspace: scene.path,
      environment: `/api/environments/${environment.id}`,
      connection: `/api/integrations/connections/${connection.id}`,
    };
    await done(world.admin.post(`${paths.environment}/connections/${connection.id}`));
    const order = first === 'workspace' ? Object.values(paths) : Object.values(paths).reverse();
    for (const deletedFirst of [order, [...order].reverse()]) {
      for (const path of deletedFirst) await done(world.admin.delete(path));
      for (const path of order) await done(world.admin.post(`${path}/restore`));
      const assigned = await done(people.viewer.get(`${paths.workspace}/environments`));
      expect(assigned.environments.map(({ id }: Json) => id)).toEqual([environment.id]);
      const mapped = await done(people.viewer.get(`${paths.environment}/connections`));
      expect(mapped.connections.map(({ id }: Json) => id)).toEqual([connection.id]);
    }
  });

  it('is refused while something is deployed from it', async () => {
    const design = await scene.design();
    const environment = await scene.environment();
    const connection = await scene.cluster(environment, silentCluster());
    const { body: deployment } = await people.editor.post('/api/pattern/deploy?async=true', { id: design.id });
    await world.sql(
      `INSERT INTO deployed_design (design_id, connection_id, environment_id, organization_id, workspace_id, deployment_id, design_version)
       VALUES ($1, $2, $3, $4, $5, $6, 1)`,
      [design.id, connection.id, environment.id, world.organization, scene.id, deployment.id],
    );
    expect(await people.admin.delete(scene.path)).toMatchObject(refusal(409, 'IN_USE'));
    await done(people.admin.post(`/api/deployments/${deployment.id}/cancel`));
    await world.sql('DELETE FROM deployed_design WHERE design_id = $1', [design.id]);
    const isFinished = async () =>
      (await done(world.admin.get(`/api/deployments/${deployment.id}`))).finished_at !== null;
    while (!(await isFinished())) await new Promise((again) => setTimeout(again, 100));
    expect((await people.admin.delete(scene.path)).status).toBe(200);
  });
});

describe('a default workspace', () => {
  const home = async (person: Person): Promise<string> =>
    (await done(person.post('/api/pattern', NEW_DESIGN))).workspace_id;

  it('is made once when it is first needed, and stays while its owner is a member, who stays its admin', async () => {
    const person = await world.person();
    const ids = await Promise.all([1, 2, 3].map(() => home(person)));
    expect(new Set(ids).size).toBe(1);
    const path = `/api/workspaces/${ids[0]}`;
    for (const [method, target] of [
      ['POST', `${path}/archive`],
      ['DELETE', path],
      ['DELETE', `${path}/members/${person.id}`],
    ] as const)
      expect(await world.admin.call(method, target)).toMatchObject(refusal(409, 'DEFAULT_WORKSPACE'));
    expect(await world.admin.put(`${path}/members/${person.id}`, { role: 'viewer' })).toMatchObject(
      refusal(409, 'DEFAULT_WORKSPACE'),
    );
    const { permissions } = await done(person.get(`${path}/permissions`));
    for (const operation of ['workspace.archive', 'workspace.delete'])
      expect(permissions).toContainEqual({ operation, allowed: false, reason: expect.stringMatching(/^the default workspace/), granted_by: [] }); // prettier-ignore
    expect(permissions.find(({ operation }: Json) => operation === 'workspace.leave').allowed).toBe(false);

    const membership = `/api/identity/orgs/${world.organization}/users`;
    await done(world.admin.delete(`${membership}/${person.id}`));
    expect((await person.get(path)).status).toBe(404);
    expect((await world.admin.post(`${path}/archive`)).status).toBe(200);
    await done(world.admin.post(membership, { email: person.email, role: 'member' }));
    expect((await person.get(path)).body).toMatchObject({ id: ids[0], status: 'active' });
    expect(await home(person)).toBe(ids[0]);
  });
});

describe('a design', () => {
  it('is moved by editors of both sides, and home again, whose ever home that is', async () => {
    const other = await WorkspaceScene.make(world, people);
    const design = await scene.design(people.editor);
    await done(world.admin.delete(`${other.path}/members/${people.viewer.id}`));
    expect((await people.viewer.post(`${scene.path}/designs/${design.id}`)).status).toBe(403);
    expect((await people.viewer.post(`${other.path}/designs/${design.id}`)).status).toBe(404);
    expect(await people.editor.post(`${other.path}/designs/${design.id}`)).toMatchObject({
      status: 200,
      body: { workspace_id: other.id, design_id: design.id },
    });
    expect((await people.viewer.get(`/api/pattern/${design.id}`)).status).toBe(404);
    expect((await people.admin.delete(`${scene.path}/designs/${design.id}`)).status).toBe(404);
    const moved = await people.admin.delete(`${other.path}/designs/${design.id}`);
    expect(moved).toMatchObject({ status: 200, body: { workspace_id: other.id, design_id: design.id } });
    expect((await people.admin.get(`/api/pattern/${design.id}`)).status).toBe(404);
    const { workspace_id: home } = (await people.editor.get(`/api/pattern/${design.id}`)).body;
    expect([scene.id, other.id]).not.toContain(home);
    expect((await people.admin.get(`/api/workspaces/${home}`)).status).toBe(404);
  });

  it('is moved to and fro at once without a standstill', async () => {
    const other = await WorkspaceScene.make(world, people);
    const here = await Promise.all([1, 2, 3, 4].map(() => scene.design()));
    const there = await Promise.all([1, 2, 3, 4].map(() => other.design()));
    const answers = await Promise.all([
      ...here.map(({ id }) => people.editor.post(`${other.path}/designs/${id}`)),
      ...there.map(({ id }) => people.editor.post(`${scene.path}/designs/${id}`)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  });
});
