import { randomUUID } from 'node:crypto';
import type { Answer, Json, Person } from './support/person.js';
import { World } from './support/world.js';

let world: World;

beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

const teams = (suffix = '', organization = world.organization): string =>
  `/api/identity/orgs/${organization}/teams${suffix}`;
const refusal = (status: number, code: string) => ({ status, body: { status, code } });
const create = async (name = `team ${randomUUID()}`): Promise<Json> => {
  const made = await world.admin.post(teams(), { name });
  expect(made.status).toBe(201);
  return made.body;
};
const workspaceOf = async (): Promise<Json> =>
  (await world.admin.post('/api/workspaces', { name: `w ${randomUUID()}`, organization_id: world.organization })).body;
const grant = (workspace: Json, team: Json, role: number): Promise<unknown> =>
  world.sql('INSERT INTO workspace_team (workspace_id, team_id, role) VALUES ($1, $2, $3)', [
    workspace.id,
    team.id,
    role,
  ]);

describe('a team', () => {
  it('is created, read, changed, listed and deleted', async () => {
    const made = await create();
    expect(made).toMatchObject({ organization_id: world.organization, description: '', deleted_at: null });
    const path = teams(`/${made.id}`);
    expect((await world.admin.get(path)).body).toEqual(made);
    const changed = await world.admin.put(path, { ...made, description: 'platform' });
    expect(changed).toMatchObject({ status: 200, body: { description: 'platform', name: made.name } });
    expect((await world.admin.put(path, { organization_id: randomUUID() })).body.code).toBe('READ_ONLY_FIELD');
    const tag = { headers: { 'if-match': '"1-x"' } };
    expect((await world.admin.put(path, { name: 'stale' }, tag)).status).toBe(412);
    expect((await world.admin.get(teams(`?search=${encodeURIComponent(made.name)}`))).body).toMatchObject({
      total_count: 1,
      teams: [{ id: made.id }],
    });
    expect(await world.admin.delete(path)).toMatchObject({ status: 200, body: { deleted_at: expect.any(String) } });
    expect((await world.admin.get(path)).status).toBe(404);
    const published = await world.sql(`SELECT action FROM event WHERE acted_upon = $1 ORDER BY sequence`, [made.id]);
    expect(published.map(({ action }) => action)).toEqual(['created', 'updated', 'deleted']);
  });

  it('has a name that no other of the organization has, whatever its case', async () => {
    const name = `Platform ${randomUUID()}`;
    const answers = await Promise.all(
      [name, name.toUpperCase()].map((each) => world.admin.post(teams(), { name: each })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('NAME_TAKEN');
    const other = await world.outsider();
    expect((await other.post(teams('', other.organization), { name })).status).toBe(201);
  });

  it('takes members of the organization, each once', async () => {
    const team = await create();
    const person = await world.person();
    const path = teams(`/${team.id}/users/${person.id}`);
    const answers = await Promise.all([world.admin.post(path), world.admin.post(path)]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(answers[0]?.body).toMatchObject({ id: person.id, email: person.email, role: 'member' });
    expect((await world.admin.get(teams(`/${team.id}/users`))).body).toMatchObject({
      total_count: 1,
      users: [{ id: person.id }],
    });
    const published = await world.sql(`SELECT metadata FROM event WHERE acted_upon = $1 AND action = 'member_added'`, [
      team.id,
    ]);
    expect(published).toHaveLength(1);
    const outsider = await world.outsider();
    expect((await world.admin.post(teams(`/${team.id}/users/${outsider.id}`))).status).toBe(404);
    expect((await world.admin.delete(path)).status).toBe(200);
    expect((await world.admin.delete(path)).status).toBe(404);
  });

  it('gives its members the roles that it has in workspaces, and takes them away with the next request', async () => {
    const [team, workspace, person] = [await create(), await workspaceOf(), await world.person()];
    const path = `/api/workspaces/${workspace.id}`;
    const update = (): Promise<Answer> => person.put(path, { description: 'x' });
    await grant(workspace, team, 4);
    expect((await person.get(path)).status).toBe(404);
    await world.admin.post(teams(`/${team.id}/users/${person.id}`));
    expect((await update()).status).toBe(200);
    await world.admin.delete(teams(`/${team.id}/users/${person.id}`));
    expect((await person.get(path)).status).toBe(404);
  });

  it('counts with the own role: the stronger of the two holds', async () => {
    const [team, workspace, person] = [await create(), await workspaceOf(), await world.person()];
    await grant(workspace, team, 2);
    await world.admin.post(teams(`/${team.id}/users/${person.id}`));
    await world.admin.put(`/api/workspaces/${workspace.id}/members/${person.id}`, { role: 'admin' });
    expect((await person.put(`/api/workspaces/${workspace.id}`, { description: 'x' })).status).toBe(200);
    await world.admin.delete(`/api/workspaces/${workspace.id}/members/${person.id}`);
    expect((await person.put(`/api/workspaces/${workspace.id}`, { description: 'x' })).status).toBe(403);
    expect((await person.get(`/api/workspaces/${workspace.id}`)).status).toBe(200);
  });

  it('that is deleted takes its roles with it, and a name used again brings none back', async () => {
    const [team, workspace, person] = [await create(), await workspaceOf(), await world.person()];
    await grant(workspace, team, 2);
    await world.admin.post(teams(`/${team.id}/users/${person.id}`));
    expect((await person.get(`/api/workspaces/${workspace.id}`)).status).toBe(200);
    await world.admin.delete(teams(`/${team.id}`));
    expect((await person.get(`/api/workspaces/${workspace.id}`)).status).toBe(404);
    expect(await world.sql('SELECT FROM workspace_team WHERE team_id = $1', [team.id])).toEqual([]);
    await create(team.name);
    expect((await person.get(`/api/workspaces/${workspace.id}`)).status).toBe(404);
  });

  it('is left by a user who leaves the organization, for good', async () => {
    const [team, workspace, person] = [await create(), await workspaceOf(), await world.person()];
    await grant(workspace, team, 2);
    await world.admin.post(teams(`/${team.id}/users/${person.id}`));
    await world.admin.delete(`/api/identity/orgs/${world.organization}/users/${person.id}`);
    await world.admin.post(`/api/identity/orgs/${world.organization}/users`, { email: person.email, role: 'member' });
    expect((await person.get(`/api/workspaces/${workspace.id}`)).status).toBe(404);
    expect((await world.admin.get(teams(`/${team.id}/users`))).body.total_count).toBe(0);
  });

  it('of an archived workspace gives a role to its admins only', async () => {
    const [viewers, admins, workspace] = [await create(), await create(), await workspaceOf()];
    const [viewer, admin] = [await world.person(), await world.person()];
    await grant(workspace, viewers, 2);
    await grant(workspace, admins, 4);
    await world.admin.post(teams(`/${viewers.id}/users/${viewer.id}`));
    await world.admin.post(teams(`/${admins.id}/users/${admin.id}`));
    await world.admin.post(`/api/workspaces/${workspace.id}/archive`);
    expect((await viewer.get(`/api/workspaces/${workspace.id}`)).status).toBe(404);
    expect((await admin.post(`/api/workspaces/${workspace.id}/restore`)).status).toBe(200);
    expect((await viewer.get(`/api/workspaces/${workspace.id}`)).status).toBe(200);
  });

  it('is seen by members, managed by admins, and unknown to outsiders', async () => {
    const team = await create();
    const [member, outsider] = [await world.person(), await world.outsider()];
    expect((await member.get(teams(`/${team.id}`))).status).toBe(200);
    expect((await member.get(teams(`/${team.id}/users`))).status).toBe(200);
    const writes = (person: Person, organization: string): Promise<Answer>[] => [
      person.post(teams('', organization), { name: 'x' }),
      person.put(teams(`/${team.id}`, organization), { name: 'x' }),
      person.delete(teams(`/${team.id}`, organization)),
      person.post(teams(`/${team.id}/users/${person.id}`, organization)),
      person.delete(teams(`/${team.id}/users/${person.id}`, organization)),
    ];
    for (const answer of await Promise.all(writes(member, world.organization)))
      expect(answer).toMatchObject(refusal(403, 'FORBIDDEN'));
    for (const answer of await Promise.all(writes(outsider, world.organization))) expect(answer.status).toBe(404);
    expect((await outsider.get(teams())).status).toBe(404);
    expect((await outsider.get(teams(`/${team.id}`, outsider.organization))).status).toBe(404);
    expect((await outsider.put(teams(`/${team.id}`, outsider.organization), { name: 'x' })).status).toBe(404);
    expect((await outsider.delete(teams(`/${team.id}`, outsider.organization))).status).toBe(404);
  });
});
