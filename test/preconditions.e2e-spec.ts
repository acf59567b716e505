import { randomUUID } from 'node:crypto';
import type { Answer, Json, Person } from './support/person.js';
import { done, NEW_DESIGN, type People, peopleOf, WorkspaceScene } from './support/workspace-scene.js';
import { World } from './support/world.js';

let world: World;
let people: People;
let scene: WorkspaceScene;
beforeAll(async () => {
  world = await World.start();
  people = await peopleOf(world);
  scene = await WorkspaceScene.make(world, people);
}, 120_000);
afterAll(() => world.stop());

/** A record that is read at its path, or whose last answer to a write shows it. */
interface Target {
  path: string;
  /** The answer that made it, for records that are not read one by one. */
  made?: Answer;
  /** Where it is changed, and what each change has to name, when its path does not say so. */
  put?: string;
  change?: object;
  /** Who calls; the administrator unless said otherwise. */
  by?: Person;
}

interface Case {
  make: () => Promise<Target>;
  /** A change of the record; without it the record has no PUT. */
  change?: () => object;
  /** False when the record has no DELETE. */
  deleted?: false;
}

const EMPTY_MODULE = Buffer.from([0, 97, 115, 109, 1, 0, 0, 0]).toString('base64');

const orgs = () => `/api/identity/orgs/${world.organization}`;
const renamed = () => ({ name: `renamed ${randomUUID()}` });

const created = async (path: string, fields: object = {}): Promise<Target> => {
  const { id } = await done(
    world.admin.post(path, { name: `record ${randomUUID()}`, organization_id: world.organization, ...fields }),
  );
  return { path: `${path}/${id}` };
};
const answered = async (call: Promise<Answer>): Promise<Answer> => {
  const answer = await call;
  await done(Promise.resolve(answer));
  return answer;
};
const serviceAccount = () =>
  done(world.admin.post(`${orgs()}/service-accounts`, { name: `robot ${randomUUID()}`, role: 'member' }));

const CASES: Record<string, Case> = {
  organization: {
    make: async () => {
      const { id } = await done(world.admin.post('/api/identity/orgs', { name: `organization ${randomUUID()}` }));
      return { path: `/api/identity/orgs/${id}` };
    },
    change: renamed,
  },
  'member of an organization': {
    make: async () => ({ path: `${orgs()}/users/${(await world.person()).id}` }),
    change: () => ({ role: 'admin' }),
  },
  team: {
    make: async () => {
      const { id } = await done(world.admin.post(`${orgs()}/teams`, renamed()));
      return { path: `${orgs()}/teams/${id}` };
    },
    change: renamed,
  },
  'user in a team': {
    make: async () => {
      const { id } = await scene.team();
      const path = `${orgs()}/teams/${id}/users/${people.member.id}`;
      return { path, made: await answered(world.admin.post(path)) };
    },
  },
  invitation: {
    make: async () => {
      const made = await answered(
        world.admin.post(`${orgs()}/users`, { email: `${randomUUID()}@example.org`, role: 'member' }),
      );
      return { path: `${orgs()}/invitations/${made.body.id}`, made };
    },
  },
  'service account': {
    make: async () => ({ path: `${orgs()}/service-accounts/${(await serviceAccount()).id}` }),
  },
  'token of a service account': {
    make: async () => {
      const path = `${orgs()}/service-accounts/${(await serviceAccount()).id}/tokens`;
      const made = await answered(world.admin.post(path, { name: 'token', scopes: ['read'] }));
      return { path: `${path}/${made.body.id}`, made };
    },
  },
  'personal token': {
    make: async () => {
      const { id } = await done(world.admin.post('/api/identity/tokens', { name: 'token', scopes: ['read'] }));
      return { path: `/api/identity/tokens/${id}` };
    },
  },
  profile: {
    make: async () => ({ path: '/api/identity/users/profile', by: await world.person() }),
    change: () => ({ first_name: `first ${randomUUID()}` }),
    deleted: false,
  },
  account: {
    make: async () => ({ path: `/api/identity/users/${(await world.person()).id}` }),
    change: () => ({ deactivated: true }),
    deleted: false,
  },
  connection: {
    make: () => created('/api/integrations/connections', { kind: 'custom' }),
    change: renamed,
  },
  credential: {
    make: () => created('/api/integrations/credentials', { type: 'custom', secret: { a: 'secret' } }),
    change: renamed,
  },
  environment: { make: () => created('/api/environments'), change: renamed },
  'freeze of an environment': {
    make: async () => {
      const { path } = await created('/api/environments');
      const times = { starts_at: '2020-01-01T00:00:00Z', ends_at: '2020-01-02T00:00:00Z' };
      const made = await answered(world.admin.post(`${path}/freezes`, { name: 'past', ...times }));
      return { path: `${path}/freezes/${made.body.id}` };
    },
    change: renamed,
  },
  'policy of a workspace': {
    make: async () => {
      const { path } = await created('/api/workspaces');
      const policy = { name: 'any', expression: 'true', mode: 'warn' };
      return { path: `${path}/policies/${(await done(world.admin.post(`${path}/policies`, policy))).id}` };
    },
    change: renamed,
  },
  'connection of an environment': {
    make: async () => {
      const connection = await created('/api/integrations/connections', { kind: 'custom' });
      const environment = await created('/api/environments');
      const path = `${environment.path}/connections/${connection.path.split('/').at(-1)}`;
      return { path, made: await answered(world.admin.post(path)) };
    },
  },
  workspace: { make: () => created('/api/workspaces'), change: renamed },
  'quotas of a workspace': {
    make: async () => ({ path: `${(await created('/api/workspaces')).path}/quotas` }),
    change: () => ({ max_designs: 7 }),
    deleted: false,
  },
  'member of a workspace': {
    make: async () => {
      const { path } = await created('/api/workspaces');
      await done(world.admin.put(`${path}/members/${people.viewer.id}`, { role: 'viewer' }));
      return { path: `${path}/members/${people.viewer.id}` };
    },
    change: () => ({ role: 'editor' }),
  },
  'team of a workspace': {
    make: async () => {
      const { path } = await created('/api/workspaces');
      const { id } = await scene.team(people.member);
      await done(world.admin.put(`${path}/teams/${id}`, { role: 'viewer' }));
      return { path: `${path}/teams/${id}` };
    },
    change: () => ({ role: 'editor' }),
  },
  'design of a workspace': {
    make: async () => {
      const workspace = await created('/api/workspaces');
      const { id } = await done(world.admin.post('/api/pattern', NEW_DESIGN));
      const path = `${workspace.path}/designs/${id}`;
      return { path, made: await answered(world.admin.post(path)) };
    },
  },
  design: {
    make: async () => {
      const { id } = await done(world.admin.post('/api/pattern', NEW_DESIGN));
      return { path: `/api/pattern/${id}`, put: '/api/pattern/yaml', change: { id } };
    },
    change: renamed,
  },
  filter: {
    make: async () => {
      const { id } = await done(
        world.admin.post('/api/filter', { ...renamed(), filter_data: { filter_file: EMPTY_MODULE } }),
      );
      return { path: `/api/filter/${id}` };
    },
    change: renamed,
  },
  'performance profile': {
    make: async () => {
      const profile = {
        ...renamed(),
        endpoints: ['http://no-such-name.invalid/'],
        request_cookies: 'a=b',
        request_body: 'c',
      };
      const schedule = { cron: '0 3 * * 1', timezone: 'Europe/Berlin' };
      const { id } = await done(world.admin.post('/api/performance/profiles', { ...profile, schedule }));
      return { path: `/api/performance/profiles/${id}` };
    },
    change: renamed,
  },
  'environment of a workspace': {
    make: async () => {
      const [workspace, environment] = [await created('/api/workspaces'), await created('/api/environments')];
      const path = `${workspace.path}/environments/${environment.path.split('/').at(-1)}`;
      return { path, made: await answered(world.admin.post(path)) };
    },
  },
};

const ifMatch = (tag: string) => ({ headers: { 'if-match': tag } });
const STALE = { status: 412, body: { code: 'PRECONDITION_FAILED' } };

const readTag = async ({ path, made, by = world.admin }: Target): Promise<{ tag: string; body: Json }> => {
  const answer = made ?? (await answered(by.get(path)));
  const tag = answer.headers.get('etag') ?? '';
  expect(tag).toMatch(/^"[\da-f.]+-/);
  return { tag, body: answer.body };
};

const countEvents = async (): Promise<number> => (await done(world.admin.get('/api/events'))).total_count;

const changeable = Object.entries(CASES).filter(([, { change }]) => change);
const deletable = Object.entries(CASES).filter(([, { deleted }]) => deleted !== false);

describe('a record that is changed', () => {
  it.each(changeable)(
    '%s: stays as it is when it is sent back as it was read, and changes only from the state that If-Match names',
    async (_, one) => {
      const target = await one.make();
      const { path, put = path, by = world.admin } = target;
      const change = () => ({ ...target.change, ...one.change?.() });
      const { tag, body } = await readTag(target);
      const before = await countEvents();
      const echoed = await by.put(put, body, ifMatch(tag));
      expect({ status: echoed.status, detail: echoed.body.detail }).toEqual({ status: 200, detail: undefined });
      const now = await readTag(target);
      expect(now).toEqual({ tag, body });
      expect(await countEvents()).toBe(before);
      expect(await by.put(put, change(), ifMatch('"0-stale"'))).toMatchObject(STALE);
      expect((await by.put(put, change(), ifMatch(now.tag))).status).toBe(200);
      expect(await by.put(put, change(), ifMatch(now.tag))).toMatchObject(STALE);
    },
  );
});

describe('a record that is deleted', () => {
  it.each(deletable)('%s: goes only from the state that If-Match names', async (_, one) => {
    const target = await one.make();
    const { tag } = await readTag(target);
    expect(await world.admin.delete(target.path, ifMatch('"0-stale"'))).toMatchObject(STALE);
    expect((await world.admin.delete(target.path, ifMatch(tag))).status).toBe(200);
  });
});

describe('the tag of another record', () => {
  it.each(['environment', 'member of an organization', 'member of a workspace', 'team of a workspace'])(
    'of the kind %s is not that of this one',
    async (name) => {
      const { make, change } = CASES[name] as Case;
      const [target, other] = [await make(), await make()];
      const { tag } = await readTag(other);
      const changed = await world.admin.put(
        target.put ?? target.path,
        { ...target.change, ...change?.() },
        ifMatch(tag),
      );
      expect(changed).toMatchObject(STALE);
      const { tag: own } = await readTag(target);
      expect(own.split('.')[0]).toBe(tag.split('.')[0]);
      expect(own).not.toBe(tag);
    },
  );
});

describe('If-None-Match', () => {
  const unless = (tag: string) => ({ headers: { 'if-none-match': tag } });

  it.each(['environment', 'design', 'quotas of a workspace', 'member of a workspace'])(
    'of a change of a %s excludes the states that it names, and an asterisk all',
    async (name) => {
      const { make, change } = CASES[name] as Case;
      const target = await make();
      const { path, put = path } = target;
      const changed = () => ({ ...target.change, ...change?.() });
      const { tag, body } = await readTag(target);
      for (const excluded of ['*', tag, `"0-other", W/${tag}`])
        expect(await world.admin.put(put, changed(), unless(excluded))).toMatchObject(STALE);
      expect((await world.admin.get(path)).body).toEqual(body);
      expect((await world.admin.put(put, changed(), unless('"0-other"'))).status).toBe(200);
    },
  );

  it('lets a role be granted only where there is none yet', async () => {
    const { path } = await created('/api/workspaces');
    const grant = () => world.admin.put(`${path}/members/${people.member.id}`, { role: 'viewer' }, unless('*'));
    const answers = await Promise.all([grant(), grant()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  it('of a deletion excludes the states that it names', async () => {
    const { path } = await created('/api/environments');
    expect(await world.admin.delete(path, unless('*'))).toMatchObject(STALE);
    expect((await world.admin.get(path)).status).toBe(200);
  });
});

describe('a member of a workspace', () => {
  it('who has a role through a team is granted nothing when sent back as they were read', async () => {
    const person = await world.person();
    const { id } = await scene.team(person);
    await done(world.admin.put(`${scene.path}/teams/${id}`, { role: 'editor' }));
    const path = `${scene.path}/members/${person.id}`;
    const { tag, body } = await readTag({ path });
    expect(body).toMatchObject({ role: 'editor', granted: null });
    expect(await world.admin.put(path, body, ifMatch(tag))).toMatchObject({ status: 200, body });
    expect((await world.admin.get(path)).body).toMatchObject({ granted: null });
    expect((await world.admin.put(path, { role: 'editor' }, ifMatch(tag))).body).toMatchObject({ granted: 'editor' });
  });

  it('who is not one yet has no state that If-Match could name', async () => {
    const path = `${scene.path}/members/${people.member.id}`;
    for (const tag of ['"1-x"', '*'])
      expect(await world.admin.put(path, { role: 'viewer' }, ifMatch(tag))).toMatchObject(STALE);
    expect((await world.admin.get(path)).status).toBe(404);
  });
});

describe('a field that cannot be written', () => {
  it.each([
    ['member of an organization', { email: 'other@example.org' }],
    ['member of a workspace', { email: 'other@example.org' }],
    ['team of a workspace', { name: 'other' }],
    ['profile', { email: 'other@example.org' }],
  ])('of a %s is refused when it differs', async (name, change) => {
    const target = await (CASES[name] as Case).make();
    const { by = world.admin, path } = target;
    const { body } = await readTag(target);
    expect(await by.put(path, { ...body, ...change })).toMatchObject({
      status: 400,
      body: { code: 'READ_ONLY_FIELD', errors: [{ pointer: `/${Object.keys(change)[0]}` }] },
    });
  });
});
