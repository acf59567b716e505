import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { tarOf } from '../src/formats/archives/tar.fixture.js';
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
  /** The answer that made it, for records that a POST makes. */
  creation?: Answer;
  /** The list that shows it, where that is not the path above its own. */
  list?: string;
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

const MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: map }\n';
const EMPTY_MODULE = Buffer.from([0, 97, 115, 109, 1, 0, 0, 0]).toString('base64');

const orgs = () => `/api/identity/orgs/${world.organization}`;
const renamed = () => ({ name: `renamed ${randomUUID()}` });

const answered = async (call: Promise<Answer>): Promise<Answer> => {
  const answer = await call;
  await done(Promise.resolve(answer));
  return answer;
};
/** A record that is made by POST to the path of its list. */
const posted = async (path: string, body: object): Promise<Target> => {
  const creation = await answered(world.admin.post(path, body));
  return { path: `${path}/${creation.body.id}`, creation };
};
const created = (path: string, fields: object = {}): Promise<Target> =>
  posted(path, { name: `record ${randomUUID()}`, organization_id: world.organization, ...fields });
const EXAMPLE_ENDPOINT = { url: 'https://example.com/hooks', events: ['design.*'], description: 'of a test' };
const serviceAccount = () =>
  done(world.admin.post(`${orgs()}/service-accounts`, { name: `robot ${randomUUID()}`, role: 'member' }));

const CASES: Record<string, Case> = {
  organization: {
    make: () => posted('/api/identity/orgs', { name: `organization ${randomUUID()}` }),
    change: renamed,
  },
  'member of an organization': {
    make: () =>
      posted(`${orgs()}/users`, {
        email: `${randomUUID()}@example.org`,
        role: 'member',
        password: `a long password ${randomUUID()}`,
      }),
    change: () => ({ role: 'admin' }),
  },
  team: { make: () => posted(`${orgs()}/teams`, renamed()), change: renamed },
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
  'settings of notifications': {
    make: async () => ({ path: '/api/identity/users/notifications', by: await world.person() }),
    change: () => ({ timezone: 'Europe/Paris' }),
    deleted: false,
  },
  account: {
    make: async () => ({ path: `/api/identity/users/${(await world.person()).id}` }),
    change: () => ({ deactivated: true }),
    deleted: false,
  },
  connection: {
    make: async () => {
      const connection = await created('/api/integrations/connections', { kind: 'custom' });
      for (const environment of [await created('/api/environments'), await created('/api/environments')])
        await done(world.admin.post(`${environment.path}/connections/${connection.path.split('/').at(-1)}`));
      return connection;
    },
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
      return posted(`${path}/freezes`, { name: 'past', ...times });
    },
    change: renamed,
  },
  'policy of a workspace': {
    make: async () => {
      const { path } = await created('/api/workspaces');
      const policy = { name: 'any', expression: 'true', mode: 'warn' };
      return posted(`${path}/policies`, policy);
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
  workspace: {
    make: async () => ({
      ...(await created('/api/workspaces')),
      list: `/api/workspaces?orgID=${world.organization}`,
    }),
    change: renamed,
  },
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
      const creation = await answered(world.admin.post('/api/pattern', NEW_DESIGN));
      const { id } = creation.body;
      const list = '/api/pattern?populate=pattern_file,source_content';
      return { path: `/api/pattern/${id}`, put: '/api/pattern/yaml', change: { id }, creation, list };
    },
    change: renamed,
  },
  filter: {
    make: () => posted('/api/filter', { ...renamed(), filter_data: { filter_file: EMPTY_MODULE } }),
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
      return posted('/api/performance/profiles', { ...profile, schedule });
    },
    change: renamed,
  },
  'webhook of a workspace': {
    make: async () => posted(`${(await created('/api/workspaces')).path}/webhooks`, EXAMPLE_ENDPOINT),
    change: () => ({ description: randomUUID() }),
  },
  'webhook of an organization': {
    make: () => posted(`${orgs()}/webhooks`, EXAMPLE_ENDPOINT),
    change: () => ({ description: randomUUID() }),
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

/** Records that no list shows. */
const UNLISTED = /\/(profile|quotas|users\/notifications)$/;
/** Records that come with another one, or by PUT. */
const NOT_POSTED = new Set([
  'profile',
  'account',
  'settings of notifications',
  'quotas of a workspace',
  'member of a workspace',
  'team of a workspace',
]);
/** Those that change several records or none, and those that have tests of their own. */
const OTHER_PUTS = [
  '/api/events/status',
  '/api/events/{id}/status',
  '/api/identity/users/favourites/{type}/{id}',
  '/api/identity/users/password',
  '/api/notifications',
  '/api/notifications/{id}',
  '/api/system/events/status',
  '/api/system/events/{id}/status',
  '/api/user/performance/profiles/{id}',
];

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

describe('a record that is sent back', () => {
  const sendBack = async ({ path, put = path, by = world.admin }: Target, body: Json) => {
    const before = await countEvents();
    const { status, body: answer } = await by.put(put, body);
    expect({ status, detail: answer.detail, errors: answer.errors }).toMatchObject({ status: 200, errors: undefined });
    expect(await countEvents()).toBe(before);
  };

  it.each(changeable)('%s: stays as it is, as its list shows it', async (_, one) => {
    const target = await one.make();
    const { path, list = path.slice(0, path.lastIndexOf('/')), by = world.admin } = target;
    const { status, body } = await by.get(list);
    const key = path.split('/').at(-1);
    const items = Object.values<Json>(body).filter(Array.isArray).flat();
    const shown = items.find(({ id, user_id, team_id }) => [id, user_id, team_id].includes(key));
    expect({ path, isListed: status === 200 && shown !== undefined }).toEqual({ path, isListed: !UNLISTED.test(path) });
    if (shown) await sendBack(target, shown);
  });

  it.each(changeable)('%s: stays as it is, as the answer that made it shows it', async (name, one) => {
    const target = await one.make();
    expect({ name, isPosted: target.creation !== undefined }).toEqual({ name, isPosted: !NOT_POSTED.has(name) });
    if (target.creation) await sendBack(target, target.creation.body);
  });

  it('is of a kind that these tests make, whatever PUT there is', async () => {
    const { paths } = (await world.admin.get('/api/openapi.json')).body as { paths: Record<string, object> };
    const changed = Object.keys(paths).filter((path) => 'put' in (paths[path] ?? {}));
    const tried: string[] = [];
    for (const [, { make }] of changeable) {
      const { path, put = path } = await make();
      tried.push(put);
    }
    const isTried = (path: string) =>
      tried.some((one) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`).test(one));
    expect(changed.filter((path) => !isTried(path)).sort()).toEqual(OTHER_PUTS);
  });
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
    ['member of an organization', { account: 'new' }],
    ['connection', { environments: [] }],
    ['design', { source_content: '' }],
    ['design', { source_encoding: 'base64' }],
  ])('of a %s is refused when it differs', async (name, change) => {
    const target = await (CASES[name] as Case).make();
    const { by = world.admin, path, put = path } = target;
    const { body } = await readTag(target);
    expect(await by.put(put, { ...body, ...change })).toMatchObject({
      status: 400,
      body: { code: 'READ_ONLY_FIELD', errors: [{ pointer: `/${Object.keys(change)[0]}` }] },
    });
  });
});

describe('what a caller asks to be shown beside a design', () => {
  it.each(['pattern_file', 'source_content', 'pattern_file,source_content'])(
    'may be sent back: populate=%s',
    async (populate) => {
      const { path, put = path } = await (CASES.design as Case).make();
      const read = await done(world.admin.get(`${path}?populate=${populate}`));
      expect(await world.admin.put(put, read)).toMatchObject({ status: 200, body: { version_number: 1 } });
      expect(await done(world.admin.get(`${path}?populate=${populate}`))).toEqual(read);
    },
  );

  it('may be sent back for an archive, whose source is base64', async () => {
    const archive = gzipSync(await tarOf({ 'app/map.yaml': MAP }));
    const { id } = await done(world.admin.upload('/api/pattern/import', 'app.tgz', archive));
    const read = await done(world.admin.get(`/api/pattern/${id}?populate=source_content`));
    expect(read.source_encoding).toBe('base64');
    expect((await world.admin.put(`/api/pattern/${id}`, read)).status).toBe(200);
  });
});
