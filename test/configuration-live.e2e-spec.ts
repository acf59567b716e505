import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import pg from 'pg';
import WebSocket from 'ws';
import { createApp } from '../src/app.setup.js';
import { Env } from '../src/core/config/env.js';
import { DatabaseUrl } from '../src/core/database/database-url.js';
import { proxyFilter } from '../src/filters/wasm/module.fixture.js';
import { type Json, Person } from './support/person.js';
import { until } from './support/until.js';
import { done, type People, peopleOf, WorkspaceScene } from './support/workspace-scene.js';
import { PASSWORD } from './support/settings.js';
import { World } from './support/world.js';

const QUERY = `subscription ($patterns: PageFilter!, $filters: PageFilter!) {
  subscribeConfiguration(patternSelector: $patterns, filterSelector: $filters) {
    patterns { page page_size total_count patterns { id name pattern_file updated_at } }
    filters { page page_size total_count filters { id name filter_file filter_resource updated_at } }
  }
}`;

let world: World;
let people: People;

beforeAll(async () => {
  world = await World.start();
  people = await peopleOf(world);
}, 120_000);
afterAll(() => world.stop());

const variables = (search: string): object => {
  const selector = { page: '0', pageSize: '10', order: 'name', search };
  return { patterns: selector, filters: selector };
};

/** What one subscription was sent. */
class Subscriber {
  readonly pages: { at: number; patterns: string[]; filters: string[]; raw: Json }[] = [];
  readonly errors: Json[] = [];
  ended = false;
  private readonly client;

  constructor(person: Person, search: string, query = QUERY, asked: object = variables(search)) {
    this.client = person.socket();
    this.client.subscribe<Json>(
      { query, variables: asked as Record<string, unknown> },
      {
        next: ({ data, errors }) => {
          if (errors) this.errors.push(...errors);
          if (data?.subscribeConfiguration) this.take(data.subscribeConfiguration);
        },
        error: (error) => void ((this.ended = true), this.errors.push(error)),
        complete: () => void (this.ended = true),
      },
    );
  }

  /** Subscribed for certain: the first pages have come. */
  static async live(person: Person, search: string): Promise<Subscriber> {
    const subscriber = new Subscriber(person, search);
    await until(() => subscriber.pages.length === 1);
    return subscriber;
  }

  get last(): { patterns: string[]; filters: string[]; raw: Json } {
    const last = this.pages.at(-1);
    if (!last) throw new Error('nothing has come');
    return last;
  }

  async shows(patterns: string[], filters: string[]): Promise<void> {
    const wanted = JSON.stringify([patterns, filters]);
    await until(() => JSON.stringify([this.last.patterns, this.last.filters]) === wanted).catch(() =>
      expect([this.last.patterns, this.last.filters]).toEqual([patterns, filters]),
    );
  }

  async end(): Promise<void> {
    await this.client.dispose();
  }

  private take(raw: Json): void {
    const names = (list: Json[] | undefined) => (list ?? []).map(({ name }) => name as string);
    this.pages.push({
      at: performance.now(),
      patterns: names(raw.patterns?.patterns),
      filters: names(raw.filters?.filters),
      raw,
    });
  }
}

const filterIn = (scene: WorkspaceScene, name: string, by = people.editor): Promise<Json> =>
  done(
    by.post('/api/filter', {
      name,
      config: 'a: 1',
      filter_data: { filter_file: proxyFilter().toString('base64') },
      workspace_id: scene.id,
    }),
  );

describe('a subscription to the configuration', () => {
  let scene: WorkspaceScene;
  beforeEach(async () => (scene = await WorkspaceScene.make(world, people)));

  it('shows both pages at once, and again on every change of a design or a filter', async () => {
    const design = await scene.design(people.editor, 'first a');
    const filter = await filterIn(scene, 'first b');
    const subscriber = await Subscriber.live(people.viewer, 'first');
    expect(subscriber.last.raw).toEqual({
      patterns: {
        page: 0,
        page_size: 10,
        total_count: 1,
        patterns: [
          { id: design.id, name: 'first a', pattern_file: design.pattern_file, updated_at: design.updated_at },
        ],
      },
      filters: {
        page: 0,
        page_size: 10,
        total_count: 1,
        filters: [
          {
            id: filter.id,
            name: 'first b',
            filter_file: filter.filter_file,
            filter_resource: 'a: 1',
            updated_at: filter.updated_at,
          },
        ],
      },
    });
    await done(people.editor.put(`/api/filter/${filter.id}`, { name: 'first c' }));
    await subscriber.shows(['first a'], ['first c']);
    await done(people.editor.put('/api/pattern/yaml', { id: design.id, name: 'first z' }));
    await subscriber.shows(['first z'], ['first c']);
    await filterIn(scene, 'first d');
    await subscriber.shows(['first z'], ['first c', 'first d']);
    await done(people.admin.delete(`/api/filter/${filter.id}`));
    await subscriber.shows(['first z'], ['first d']);
    await done(people.admin.delete(`/api/pattern/${design.id}`));
    await subscriber.shows([], ['first d']);
    await subscriber.end();
  });

  it('says nothing of what its user may not see, and nothing when the pages stay as they are', async () => {
    const [inside, outside] = [
      await Subscriber.live(people.viewer, 'quiet'),
      await Subscriber.live(people.outsider, 'quiet'),
    ];
    const member = await Subscriber.live(people.member, 'quiet');
    const filter = await filterIn(scene, 'quiet');
    await inside.shows([], ['quiet']);
    await filterIn(scene, 'of another name');
    await fetch(`${world.baseUrl}/api/filter/download/${filter.id}`, {
      headers: { authorization: `Bearer ${people.viewer.token ?? ''}` },
    });
    await wait(600);
    expect(inside.pages).toHaveLength(2);
    expect([outside.pages.length, member.pages.length]).toEqual([1, 1]);
    await done(people.editor.put(`/api/filter/${filter.id}`, { visibility: 'organization' }));
    await member.shows([], ['quiet']);
    await done(people.editor.put(`/api/filter/${filter.id}`, { visibility: 'workspace' }));
    await member.shows([], []);
    expect(outside.pages).toHaveLength(1);
    for (const each of [inside, outside, member]) await each.end();
  });

  it('follows the rights of its user: granted, taken, archived, and in another organization', async () => {
    await filterIn(scene, 'rights');
    const person = await world.outsider();
    const subscriber = await Subscriber.live(person, 'rights');
    expect(subscriber.last.filters).toEqual([]);
    const members = `/api/identity/orgs/${world.organization}/users`;
    await done(world.admin.post(members, { email: person.email, role: 'member' }));
    await done(world.admin.put(`${scene.path}/members/${person.id}`, { role: 'viewer' }));
    await subscriber.shows([], ['rights']);
    await done(world.admin.post(`${scene.path}/archive`));
    await subscriber.shows([], []);
    await done(world.admin.post(`${scene.path}/restore`));
    await subscriber.shows([], ['rights']);
    await done(world.admin.delete(`${scene.path}/members/${person.id}`));
    await subscriber.shows([], []);
    await done(world.admin.put(`${scene.path}/members/${person.id}`, { role: 'viewer' }));
    await subscriber.shows([], ['rights']);
    await done(world.admin.delete(`${members}/${person.id}`));
    await subscriber.shows([], []);
    await filterIn(scene, 'rights too');
    await wait(400);
    expect(subscriber.last.filters).toEqual([]);
    await subscriber.end();
  });

  it('combines many changes, four times a second at most', async () => {
    const subscriber = await Subscriber.live(people.viewer, 'burst');
    const { id } = await filterIn(scene, 'burst 0');
    const rename = (name: string) => done(people.editor.put(`/api/filter/${id}`, { name }));
    await Promise.all(Array.from({ length: 40 }, (_, n) => rename(`burst ${n}`)));
    await rename('burst of all');
    await subscriber.shows([], ['burst of all']);
    const times = subscriber.pages.map(({ at }) => at);
    const apart = times.slice(1).map((at, index) => Math.round(at - (times[index] ?? 0)));
    process.stderr.write(`42 changes in ${times.length - 1} messages, apart by ${apart.join(', ')} ms\n`);
    expect(times.length).toBeLessThan(42);
    const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000;
    expect(times.length).toBeLessThanOrEqual(Math.ceil(seconds * 4) + 2);
    await subscriber.end();
  });

  it('reads only what it asks for, and says what is wrong with a selector', async () => {
    await filterIn(scene, 'only these');
    const query = `subscription ($patterns: PageFilter!, $filters: PageFilter!) {
      subscribeConfiguration(patternSelector: $patterns, filterSelector: $filters) { filters { total_count } }
    }`;
    const narrow = new Subscriber(people.viewer, 'only these', query);
    await until(() => narrow.pages.length === 1);
    expect(narrow.last.raw).toEqual({ filters: { total_count: 1 } });
    const wrong = [
      { page: 'x', pageSize: '10' },
      { page: '0', pageSize: '10', order: 'content' },
      { page: '0', pageSize: '10', visibility: ['secret'] },
    ];
    for (const filters of wrong) {
      const refused = new Subscriber(people.viewer, '', QUERY, { patterns: { page: '0', pageSize: '1' }, filters });
      await until(() => refused.errors.length === 1);
      expect(refused.errors[0].extensions.code).toBe('VALIDATION_FAILED');
      await refused.end();
    }
    await narrow.end();
  });

  it('catches up after the connection for notices was lost', async () => {
    const subscriber = await Subscriber.live(people.viewer, 'gap');
    const owner = new pg.Client({ connectionString: world.get(DatabaseUrl).href });
    await owner.connect();
    await owner.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'armature-listen' AND datname = current_database()`,
    );
    await owner.end();
    await filterIn(scene, 'gap');
    await subscriber.shows([], ['gap']);
    await subscriber.end();
  });

  it('is served to clients of the older sub-protocol, until they stop it', async () => {
    const socket = new WebSocket(`${world.baseUrl.replace('http', 'ws')}/api/system/graphql/query`, 'graphql-ws');
    const received: Json[] = [];
    socket.on('message', (data: Buffer) => received.push(JSON.parse(data.toString())));
    await once(socket, 'open');
    const { token } = people.viewer;
    socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${token}` } }));
    socket.send(JSON.stringify({ type: 'start', id: '1', payload: { query: QUERY, variables: variables('older') } }));
    const data = () => received.filter(({ type }) => type === 'data').map(({ payload }) => payload.data.subscribeConfiguration); // prettier-ignore
    await until(() => data().length === 1);
    await filterIn(scene, 'older');
    await until(() => data().length === 2);
    expect(data().map(({ filters }) => filters.total_count as number)).toEqual([0, 1]);
    socket.send(JSON.stringify({ type: 'stop', id: '1' }));
    await wait(100);
    await filterIn(scene, 'older too');
    await wait(500);
    expect(data()).toHaveLength(2);
    socket.close();
  });

  it('ends with its token, and with its user', async () => {
    const person = await world.person();
    const { body } = await world.stranger.post('/api/auth/login', { email: person.email, password: PASSWORD });
    const signedIn = new Person(world.baseUrl, body.access_token as string);
    const [signedOut, deactivated] = [await Subscriber.live(signedIn, 'ends'), await Subscriber.live(person, 'ends')];
    await person.post('/api/auth/logout', { refresh_token: body.refresh_token });
    await until(() => signedOut.ended, 1_500);
    expect(signedOut.errors[0]).toMatchObject({ code: 4403 });
    expect(deactivated.ended).toBe(false);
    await done(world.admin.put(`/api/identity/users/${person.id}`, { deactivated: true }));
    await until(() => deactivated.ended, 1_500);
    expect(deactivated.errors[0]).toMatchObject({ code: 4403 });
    const stranger = new Subscriber(world.stranger, 'ends');
    await until(() => stranger.ended);
    expect(stranger.errors[0]).toMatchObject({ code: 4401 });
  });
});

describe('two replicas', () => {
  let second: NestExpressApplication;
  beforeAll(async () => {
    second = await createApp(world.get(Env as never), world.get(DatabaseUrl).href);
    await second.listen(0, '127.0.0.1');
  });
  afterAll(() => second.close());

  it('report the changes that the other made', async () => {
    const scene = await WorkspaceScene.make(world, people);
    const baseUrl = (await second.getUrl()).replace('[::1]', '127.0.0.1');
    const elsewhere = new Person(baseUrl, people.editor.token);
    const here = await Subscriber.live(people.editor, 'replica');
    const there = await Subscriber.live(elsewhere, 'replica');
    await filterIn(scene, 'replica a', elsewhere);
    await scene.design(people.editor, 'replica b');
    for (const each of [here, there]) await each.shows(['replica b'], ['replica a']);
    await here.end();
    await there.end();
  });
});
