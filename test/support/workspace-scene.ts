import { randomUUID } from 'node:crypto';
import type { Json, Person } from './person.js';
import type { World } from './world.js';

/** One person for each role, from nobody to the owner of the organization Default. */
export interface People {
  stranger: Person;
  outsider: Person;
  member: Person;
  viewer: Person;
  editor: Person;
  admin: Person;
  organizationAdmin: Person;
  owner: Person;
}

export async function peopleOf(world: World): Promise<People> {
  const [outsider, member, viewer, editor, admin, organizationAdmin] = await Promise.all([
    world.outsider(),
    world.person(),
    world.person(),
    world.person(),
    world.person(),
    world.person('admin'),
  ]);
  return {
    stranger: world.stranger,
    outsider,
    member,
    viewer,
    editor,
    admin,
    organizationAdmin,
    owner: world.admin,
  };
}

const MANIFEST = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {colour: blue}\n';

/** A workspace of the organization Default with a viewer, an editor and an admin, and what can be put into it. */
export class WorkspaceScene {
  private constructor(
    readonly world: World,
    readonly people: People,
    readonly workspace: Json,
  ) {}

  static async make(world: World, people: People): Promise<WorkspaceScene> {
    const workspace = await done(
      world.admin.post('/api/workspaces', { name: `scene ${randomUUID()}`, organization_id: world.organization }),
    );
    const scene = new WorkspaceScene(world, people, workspace);
    for (const role of ['viewer', 'editor', 'admin'] as const)
      await done(world.admin.put(`${scene.path}/members/${people[role].id}`, { role }));
    return scene;
  }

  get id(): string {
    return this.workspace.id as string;
  }

  get path(): string {
    return `/api/workspaces/${this.id}`;
  }

  /** A design in this workspace. */
  design(by = this.world.admin, name = 'settings'): Promise<Json> {
    return done(by.post('/api/pattern', { ...NEW_DESIGN, name, workspace_id: this.id }));
  }

  /** An environment of the organization, assigned to this workspace. */
  async environment(fields: object = {}): Promise<Json> {
    const environment = await this.looseEnvironment(fields);
    await done(this.world.admin.post(`${this.path}/environments/${environment.id}`));
    return environment;
  }

  looseEnvironment(fields: object = {}): Promise<Json> {
    const { admin, organization } = this.world;
    return done(
      admin.post('/api/environments', { name: `env ${randomUUID()}`, organization_id: organization, ...fields }),
    );
  }

  /** A connection to a cluster at this address, in an environment. */
  async cluster(environment: Json, server: string): Promise<Json> {
    const connection = await done(
      this.world.admin.post('/api/integrations/connections', {
        name: `cluster ${randomUUID()}`,
        kind: 'kubernetes',
        metadata: { server },
        credential_secret: { token: 'x' },
        organization_id: this.world.organization,
      }),
    );
    await done(this.world.admin.post(`/api/environments/${environment.id}/connections/${connection.id}`));
    return connection;
  }

  /** A team of the organization with these people in it. */
  async team(...people: Person[]): Promise<Json> {
    const teams = `/api/identity/orgs/${this.world.organization}/teams`;
    const team = await done(this.world.admin.post(teams, { name: `team ${randomUUID()}` }));
    for (const { id } of people) await this.world.admin.post(`${teams}/${team.id}/users/${id}`);
    return team;
  }
}

export const NEW_DESIGN = { name: 'settings', pattern_data: { pattern_file: MANIFEST } };

/** The body of a call that must succeed. */
export async function done(call: Promise<{ status: number; body: Json }>): Promise<Json> {
  const { status, body } = await call;
  if (status >= 300) throw new Error(`a call failed: ${status} ${JSON.stringify(body)}`);
  return body;
}
