import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import pg from 'pg';
import WebSocket from 'ws';
import { createApp } from '../src/app.setup.js';
import { Env } from '../src/core/config/env.js';
import { DatabaseUrl } from '../src/core/database/database-url.js';
import { EVENTS_TOPIC } from '../src/core/events/event-notification.js';
import { PostgresPubSub } from '../src/core/pubsub/postgres-pubsub.js';
import { type Json, Person } from './support/person.js';
import { publishEvents, RegistryTestEvent, TestEvent } from './support/test-events.js';
import { until } from './support/until.js';
import { PASSWORD } from './support/settings.js';
import { World } from './support/world.js';

let world: World;

beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

const publish = (organizationId: string | null, count = 1, Kind = TestEvent): Promise<string[]> =>
  publishEvents(world, organizationId, count, Kind);

const lastOf = async (organization: string): Promise<number> => {
  const [row] = await world.sql<{ last: string }>('SELECT last FROM event_counter WHERE feed = $1', [organization]);
  return Number(row?.last ?? 0);
};

/** Ends the connection that notices come through. */
const loseNotices = async (): Promise<void> => {
  const owner = new pg.Client({ connectionString: world.get(DatabaseUrl).href });
  await owner.connect();
  await owner.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'armature-listen' AND datname = current_database()`,
  );
  await owner.end();
};

const FIELDS = 'id sequence actedUpon severity category action status createdAt organizationID: organization_id';
const QUERY = `subscription ($organizationID: ID, $workspaceID: ID, $severity: [Severity!], $category: [String!], $after: String) {
  subscribeEvents(organizationID: $organizationID, workspaceID: $workspaceID, severity: $severity, category: $category, after: $after) { ${FIELDS} }
}`;

/** What one subscription was sent. */
class Subscriber {
  readonly events: Json[] = [];
  readonly errors: Json[] = [];
  ended = false;
  private readonly client;

  constructor(person: Person, variables: Record<string, unknown> = {}) {
    this.client = person.socket();
    this.client.subscribe<Json>(
      { query: QUERY, variables },
      {
        next: ({ data, errors }) =>
          void (errors ? this.errors.push(...errors) : this.events.push(data.subscribeEvents)),
        error: (error) => void ((this.ended = true), this.errors.push(error)),
        complete: () => void (this.ended = true),
      },
    );
  }

  /** Subscribed for certain: an event that is published repeatedly has arrived. */
  static async live(person: Person, variables: Record<string, unknown>, organization: string): Promise<Subscriber> {
    const subscriber = new Subscriber(person, variables);
    while (subscriber.events.length === 0) {
      await publish(organization);
      await wait(20);
    }
    const last = await lastOf(organization);
    await until(() => Number(subscriber.events.at(-1)?.sequence) >= last);
    subscriber.events.length = 0;
    return subscriber;
  }

  get subjects(): string[] {
    return this.events.map(({ actedUpon }) => actedUpon);
  }

  get numbers(): number[] {
    return this.events.map(({ sequence }) => Number(sequence));
  }

  async end(): Promise<void> {
    await this.client.dispose();
  }
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe('a subscription', () => {
  it('is given each event as it happens, a few milliseconds after the commit', async () => {
    const subscriber = await Subscriber.live(world.admin, {}, world.organization);
    const delays: number[] = [];
    for (let n = 1; n <= 20; n++) {
      const before = performance.now();
      await publish(world.organization);
      await until(() => subscriber.events.length === n);
      delays.push(Math.round(performance.now() - before));
    }
    process.stderr.write(`write and deliver: ${delays.sort((a, b) => a - b).join(', ')} ms\n`);
    const made = await world.admin.post('/api/environments', { name: 'live', organization_id: world.organization });
    await until(() => subscriber.subjects.includes(made.body.id as string));
    expect(subscriber.events.at(-1)).toMatchObject({
      severity: 'informational',
      category: 'environment',
      action: 'created',
      status: 'unread',
      organizationID: world.organization,
    });
    await subscriber.end();
  });

  it('is given those of the registry too, unless it names an organization', async () => {
    const everything = await Subscriber.live(world.admin, {}, world.organization);
    const named = await Subscriber.live(world.admin, { organizationID: world.organization }, world.organization);
    everything.events.length = 0;
    const [registered] = await publish(null, 1, RegistryTestEvent);
    const [own] = await publish(world.organization);
    await until(() => everything.events.length === 2 && named.events.length === 1);
    expect([...everything.subjects].sort()).toEqual([registered, own].sort());
    expect(everything.events.find(({ category }) => category === 'registry').sequence).toBeNull();
    expect(named.subjects).toEqual([own]);
    await everything.end();
    await named.end();
  });

  it('replays what was missed, then goes on without a gap or a repeat while others write', async () => {
    const from = await lastOf(world.organization);
    await publish(world.organization, 450);
    const writers = Promise.all(range(1, 60).map(() => publish(world.organization, 3)));
    const subscribers = range(1, 4).map(
      (n) => new Subscriber(world.admin, { organizationID: world.organization, after: String(from + n) }),
    );
    await writers;
    const last = await lastOf(world.organization);
    expect(last).toBe(from + 450 + 180);
    await until(() => subscribers.every(({ numbers }) => numbers.at(-1) === last));
    subscribers.forEach(({ numbers }, index) => expect(numbers).toEqual(range(from + index + 2, last)));
    for (const subscriber of subscribers) await subscriber.end();
  });

  it('replays to members of one organization without its name, and asks others for it', async () => {
    const other = await world.outsider();
    await publish(other.organization, 3);
    const last = await lastOf(other.organization);
    const subscriber = new Subscriber(other, { after: String(last - 2) });
    await until(() => subscriber.events.length === 2);
    expect(subscriber.numbers).toEqual([last - 1, last]);
    await subscriber.end();

    const second = await world.outsider();
    await world.join(other, second, 'member');
    const unsure = new Subscriber(other, { after: '0' });
    await until(() => unsure.errors.length === 1);
    expect(unsure.errors[0]).toMatchObject({
      message: expect.stringContaining(second.organization),
      extensions: { code: 'VALIDATION_FAILED' },
    });
    await unsure.end();
  });

  it('reports what is no longer kept, and refuses numbers that are none', async () => {
    const other = await world.outsider();
    await publish(other.organization, 6);
    const last = await lastOf(other.organization);
    await world.sql(
      `UPDATE event SET created_at = now() - interval '8 days' WHERE organization_id = $1 AND sequence <= $2`,
      [other.organization, last - 3],
    );
    const refusalOf = async (after: string): Promise<Json> => {
      const subscriber = new Subscriber(other, { after });
      await until(() => subscriber.errors.length + subscriber.events.length > 0);
      await subscriber.end();
      return subscriber.errors[0];
    };
    expect(await refusalOf('0')).toMatchObject({ extensions: { code: 'REPLAY_EXPIRED', oldest: String(last - 2) } });
    expect(await refusalOf(String(last - 4))).toMatchObject({ extensions: { code: 'REPLAY_EXPIRED' } });
    expect(await refusalOf(String(last - 3))).toBeUndefined();
    expect(await refusalOf(String(last + 1))).toMatchObject({ extensions: { code: 'VALIDATION_FAILED' } });
    expect(await refusalOf('-1')).toMatchObject({ extensions: { code: 'VALIDATION_FAILED' } });
    await world.sql(`UPDATE event SET created_at = now() - interval '8 days' WHERE organization_id = $1`, [
      other.organization,
    ]);
    expect(await refusalOf('0')).toMatchObject({ extensions: { code: 'REPLAY_EXPIRED', oldest: String(last + 1) } });
  });

  it('is narrowed by severity, category and workspace', async () => {
    const after = String(await lastOf(world.organization));
    const of = (variables: object) =>
      new Subscriber(world.admin, { organizationID: world.organization, after, ...variables });
    const [loud, environments, teams, all, unnarrowed] = [
      of({ severity: ['error', 'alert'] }),
      of({ category: ['team', 'environment'] }),
      of({ category: ['team'] }),
      of({ severity: ['informational'] }),
      of({ severity: [], category: [] }),
    ];
    await publish(world.organization, 5);
    await until(() => [environments, all, unnarrowed].every(({ events }) => events.length === 5));
    expect([...loud.events, ...teams.events]).toEqual([]);
    const foreign = of({ workspaceID: randomUUID() });
    await until(() => foreign.errors.length === 1);
    expect(foreign.errors[0]).toMatchObject({ extensions: { code: 'NOT_FOUND' } });
    for (const each of [loud, environments, teams, all, unnarrowed, foreign]) await each.end();
  });

  it('is given nothing that its user may not read, from the moment on that they may not', async () => {
    const outsider = await world.outsider();
    const [watcher, member] = [await world.person('admin'), await world.person()];
    const stranger = new Subscriber(outsider, {});
    const plain = new Subscriber(member, {});
    const subscriber = await Subscriber.live(watcher, {}, world.organization);
    await publish(world.organization, 3);
    await until(() => subscriber.events.length === 3);
    await world.admin.delete(`/api/identity/orgs/${world.organization}/users/${watcher.id}`);
    await publish(world.organization, 3);
    await wait(300);
    expect(subscriber.events).toHaveLength(3);
    expect(stranger.events.filter(({ organizationID }) => organizationID === world.organization)).toEqual([]);
    expect(plain.events.filter(({ category }) => category === 'environment')).toEqual([]);
    expect(plain.events.map(({ action }) => action)).toContain('removed');

    const named = new Subscriber(outsider, { organizationID: world.organization });
    await until(() => named.errors.length === 1);
    expect(named.errors[0]).toMatchObject({ extensions: { code: 'NOT_FOUND' } });
    for (const each of [stranger, plain, subscriber, named]) await each.end();
  });

  it.each(['graphql-transport-ws', 'graphql-ws'])(
    'over %s ends with an error when the right to what it asked for ends',
    async (protocol) => {
      const member = await world.person();
      const { body: workspace } = await world.admin.post('/api/workspaces', {
        ...{ name: 'watched', organization_id: world.organization },
      });
      await world.admin.put(`/api/workspaces/${workspace.id}/members/${member.id}`, { role: 'viewer' });
      const socket = new WebSocket(`${world.baseUrl.replace('http', 'ws')}/api/system/graphql/query`, protocol);
      const received: Json[] = [];
      socket.on('message', (data: Buffer) => received.push(JSON.parse(data.toString())));
      await once(socket, 'open');
      socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${member.token}` } }));
      await until(() => received.some(({ type }) => type === 'connection_ack'));
      const begin = protocol === 'graphql-ws' ? 'start' : 'subscribe';
      for (const [id, variables] of Object.entries({
        all: {},
        organization: { organizationID: world.organization },
        workspace: { workspaceID: workspace.id },
      }))
        socket.send(JSON.stringify({ type: begin, id, payload: { query: QUERY, variables } }));
      // Subscribed for certain: each has been sent an event.
      const hasHeard = (id: string) => received.some((each) => each.id === id && ['data', 'next'].includes(each.type));
      while (!['all', 'organization', 'workspace'].every(hasHeard)) {
        await world.admin.put(`/api/workspaces/${workspace.id}`, { description: randomUUID() });
        await wait(50);
      }
      const faults = () => received.filter(({ type }) => type === 'error');
      await world.admin.delete(`/api/workspaces/${workspace.id}/members/${member.id}`);
      await until(() => faults().length === 1, 1_500);
      await world.admin.delete(`/api/identity/orgs/${world.organization}/users/${member.id}`);
      await until(() => faults().length === 2, 1_500);
      expect(faults().map(({ id, payload }) => [id, [payload].flat()[0].extensions.code])).toEqual([
        ['workspace', 'NOT_FOUND'],
        ['organization', 'NOT_FOUND'],
      ]);
      expect(socket.readyState).toBe(WebSocket.OPEN);
      socket.close();
    },
  );

  it('follows its user into an organization that they are added to', async () => {
    const [joining, other] = [await world.outsider(), await world.outsider()];
    const subscriber = await Subscriber.live(joining, {}, joining.organization);
    await world.join(joining, other, 'admin');
    const [published] = await publish(other.organization);
    await until(() => subscriber.subjects.includes(published as string));
    expect(subscriber.events.map(({ action, organizationID }) => [action, organizationID])).toEqual([
      ['added', other.organization],
      ['updated', other.organization],
    ]);
    await subscriber.end();
  });

  it('follows its user into an organization that they joined while notices were lost', async () => {
    const [joining, other] = [await world.outsider(), await world.outsider()];
    const subscriber = await Subscriber.live(joining, {}, joining.organization);
    await world.sql('INSERT INTO organization_member (organization_id, user_id, role) VALUES ($1, $2, 5)', [
      other.organization,
      joining.id,
    ]);
    const missed = await publish(other.organization, 2);
    await loseNotices();
    await until(() => subscriber.events.length >= 2);
    const [live] = await publish(other.organization);
    await until(() => subscriber.events.length >= 3);
    expect(subscriber.subjects).toEqual([...missed, live]);
    await subscriber.end();
  });

  it('follows its user from the joining on, also when a notice of an earlier event comes late', async () => {
    const [joining, other] = [await world.outsider(), await world.outsider()];
    const subscriber = await Subscriber.live(joining, {}, joining.organization);
    await publish(other.organization);
    const notice = { organizationId: other.organization, sequence: String(await lastOf(other.organization)) };
    await world.sql('INSERT INTO organization_member (organization_id, user_id, role) VALUES ($1, $2, 5)', [
      other.organization,
      joining.id,
    ]);
    const published = await publish(other.organization, 2);
    const late = { ...notice, category: 'member', action: 'invited', actedUpon: joining.id };
    await world.get(PostgresPubSub).publish(EVENTS_TOPIC, late);
    await until(() => subscriber.events.length >= 2);
    expect(subscriber.subjects).toEqual(published);
    await subscriber.end();
  });

  it('catches up after the connection for notices was lost', async () => {
    const subscriber = await Subscriber.live(world.admin, { organizationID: world.organization }, world.organization);
    await loseNotices();
    const published = await publish(world.organization, 2);
    await until(() => subscriber.events.length === 2);
    expect(subscriber.subjects).toEqual(published);
    await subscriber.end();
  });

  it('is served to clients of the older sub-protocol', async () => {
    const after = String(await lastOf(world.organization));
    const socket = new WebSocket(`${world.baseUrl.replace('http', 'ws')}/api/system/graphql/query`, 'graphql-ws');
    const received: Json[] = [];
    socket.on('message', (data: Buffer) => received.push(JSON.parse(data.toString())));
    await once(socket, 'open');
    const { token } = world.admin;
    socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${token}` } }));
    const payload = { query: QUERY, variables: { organizationID: world.organization, after } };
    socket.send(JSON.stringify({ type: 'start', id: '1', payload }));
    const published = await publish(world.organization, 2);
    const data = () => received.filter(({ type }) => type === 'data');
    await until(() => data().length === 2);
    expect(data().map((message) => message.payload.data.subscribeEvents.actedUpon)).toEqual(published);
    socket.close();
  });

  it('ends with its token', async () => {
    const person = await world.person('admin');
    const { body } = await world.stranger.post('/api/auth/login', { email: person.email, password: PASSWORD });
    const subscriber = new Subscriber(new Person(world.baseUrl, body.access_token as string));
    await wait(200);
    await person.post('/api/auth/logout', { refresh_token: body.refresh_token });
    await until(() => subscriber.ended, 1_500);
    expect(subscriber.errors[0]).toMatchObject({ code: 4403 });
  });
});

describe('two replicas', () => {
  let second: NestExpressApplication;
  let elsewhere: Person;

  beforeAll(async () => {
    second = await createApp(world.get(Env as never), world.get(DatabaseUrl).href);
    await second.listen(0, '127.0.0.1');
    elsewhere = new Person((await second.getUrl()).replace('[::1]', '127.0.0.1'), world.admin.token);
  });
  afterAll(() => second.close());

  it('deliver the events of each other, once and in order', async () => {
    const from = await lastOf(world.organization);
    const asked = { organizationID: world.organization, after: String(from) };
    const subscribers = [new Subscriber(world.admin, asked), new Subscriber(elsewhere, asked)];
    await Promise.all(
      range(1, 30).map((n) =>
        (n % 2 ? world.admin : elsewhere).post('/api/environments', {
          name: `of replica ${n}`,
          organization_id: world.organization,
        }),
      ),
    );
    await until(() => subscribers.every(({ events }) => events.length >= 30));
    for (const { numbers } of subscribers) expect(numbers).toEqual(range(from + 1, from + 30));
    for (const subscriber of subscribers) await subscriber.end();
  });
});
