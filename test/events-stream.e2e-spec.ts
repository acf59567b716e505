import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createApp } from '../src/app.setup.js';
import { Env } from '../src/core/config/env.js';
import { DatabaseUrl } from '../src/core/database/database-url.js';
import { type Json, Person } from './support/person.js';
import { publishEvents, TestEvent } from './support/test-events.js';
import { until } from './support/until.js';
import { PASSWORD } from './support/settings.js';
import { World } from './support/world.js';

/** As much as an event may say. */
class LongEvent extends TestEvent {
  override readonly metadata = { text: 'x'.repeat(40_000) };
}

let world: World;
const open: Stream[] = [];

beforeAll(async () => (world = await World.start({ LIMIT_SOCKETS_PER_USER: '3' })));
afterEach(() => open.splice(0).forEach((stream) => stream.hangUp()));
afterAll(() => world.stop());

const publish = (organizationId: string, count = 1, Kind = TestEvent): Promise<string[]> =>
  publishEvents(world, organizationId, count, Kind);

/** One answer of server-sent events, read as a browser does. */
class Stream {
  readonly events: { id: string; data: Json }[] = [];
  lastId = '';
  ended = false;
  /** Why the server has ended it. */
  reason?: string;
  private readonly abort = new AbortController();

  private constructor(
    readonly response: Response,
    controller: AbortController,
  ) {
    this.abort = controller;
    void this.read().catch(() => (this.ended = true));
  }

  static async open(person: Person, query = '', lastEventId?: string): Promise<Stream> {
    const controller = new AbortController();
    const response = await fetch(`${person.baseUrl}/api/events/stream?${query}`, {
      signal: controller.signal,
      headers: {
        authorization: `Bearer ${person.token}`,
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
    });
    const stream = new Stream(response, controller);
    open.push(stream);
    if (response.ok) await until(() => stream.lastId !== '');
    return stream;
  }

  get subjects(): string[] {
    return this.events.map(({ data }) => data.acted_upon);
  }

  hangUp(): void {
    this.abort.abort();
  }

  private async read(): Promise<void> {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of this.response.body ?? []) {
      const blocks = (text + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks)
        this.take(new Map(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string])));
    }
    this.ended = true;
  }

  private take(fields: Map<string, string>): void {
    this.lastId = fields.get('id') ?? this.lastId;
    const data = fields.get('data');
    if (data && fields.get('event') === 'end') this.reason = JSON.parse(data).reason;
    else if (data) this.events.push({ id: this.lastId, data: JSON.parse(data) });
  }
}

describe('the stream of events', () => {
  it('sends them as they happen, each with a number to resume from', async () => {
    const stream = await Stream.open(world.admin);
    expect(Object.fromEntries(stream.response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': expect.stringContaining('no-transform'),
    });
    const made = await world.admin.post('/api/environments', {
      name: 'published',
      organization_id: world.organization,
    });
    await until(() => stream.events.length === 1);
    const listed = await world.admin.get(`/api/events?acted_upon=${made.body.id}`);
    const [event] = listed.body.events;
    expect(stream.events).toEqual([{ id: `${world.organization}:${event.sequence}`, data: event }]);
  });

  it('resumes where it was left, without a gap or a repeat', async () => {
    const first = await Stream.open(world.admin, `orgID=${world.organization}`);
    const before = await publish(world.organization, 3);
    await until(() => first.events.length === 3);
    first.hangUp();
    const missed = await publish(world.organization, 250);
    const second = await Stream.open(world.admin, `orgID=${world.organization}`, first.lastId);
    const later = await publish(world.organization, 2);
    await until(() => second.events.length >= 252);
    expect(first.subjects).toEqual(before);
    expect(second.subjects).toEqual([...missed, ...later]);

    const silent = await Stream.open(world.admin);
    silent.hangUp();
    const [unheard] = await publish(world.organization);
    const third = await Stream.open(world.admin, '', silent.lastId);
    await until(() => third.events.length === 1);
    expect(third.subjects).toEqual([unheard]);
  });

  it('is narrowed by parameters', async () => {
    const after = (await Stream.open(world.admin)).lastId.split(':')[1];
    const [quiet, wanted] = [
      await Stream.open(world.admin, `severity=error,alert&after=${after}`),
      await Stream.open(world.admin, `category=team,environment&after=${after}`),
    ];
    await publish(world.organization);
    await until(() => wanted.events.length === 1);
    expect(quiet.events).toEqual([]);
  });

  it('is refused for what is not there, not kept or not understood', async () => {
    const outsider = await world.outsider();
    const statusOf = async (query: string, lastEventId?: string) =>
      (await Stream.open(outsider, query, lastEventId)).response.status;
    expect(await statusOf(`orgID=${world.organization}`)).toBe(404);
    expect(await statusOf('', `${world.organization}:1`)).toBe(404);
    expect(await statusOf(`orgID=${outsider.organization}`, `${world.organization}:1`)).toBe(400);
    expect(await statusOf('', 'seven')).toBe(400);
    expect(await statusOf('after=1000000')).toBe(400);
    expect(await statusOf('severity=loud')).toBe(400);
    expect((await world.stranger.get('/api/system/events/subscribe')).status).toBe(401);
    await publish(outsider.organization, 3);
    await world.sql(`UPDATE event SET created_at = now() - interval '8 days' WHERE organization_id = $1`, [
      outsider.organization,
    ]);
    const expired = await outsider.get('/api/events/stream', {
      headers: { 'last-event-id': `${outsider.organization}:1` },
    });
    expect(expired).toMatchObject({
      status: 410,
      body: { code: 'REPLAY_EXPIRED', oldest: expect.stringMatching(/^\d+$/) },
    });
  });

  it('says nothing to who has left, and ends with a last event when the right to it or its token ends', async () => {
    const person = await world.person('admin');
    const stream = await Stream.open(person);
    const [heard] = await publish(world.organization);
    await until(() => stream.events.length === 1);
    await world.admin.delete(`/api/identity/orgs/${world.organization}/users/${person.id}`);
    await publish(world.organization, 2);
    await until(() => stream.ended, 1_500);
    expect(stream.reason).toBe('rights_changed');
    expect(stream.subjects).toEqual([heard]);

    const viewer = await world.person();
    const workspace = (
      await world.admin.post('/api/workspaces', { name: 'watched', organization_id: world.organization })
    ).body;
    await world.admin.put(`/api/workspaces/${workspace.id}/members/${viewer.id}`, { role: 'viewer' });
    const narrowed = await Stream.open(viewer, `workspace_id=${workspace.id}`);
    const whole = await Stream.open(viewer);
    const ofAdmin = await Stream.open(world.admin);
    await world.admin.put(`/api/workspaces/${workspace.id}/members/${viewer.id}`, { role: 'editor' });
    const [raised] = await publish(world.organization);
    await until(() => ofAdmin.subjects.includes(raised ?? ''));
    expect([narrowed.ended, whole.ended]).toEqual([false, false]);
    await world.admin.delete(`/api/workspaces/${workspace.id}/members/${viewer.id}`);
    await until(() => narrowed.ended && whole.ended, 1_500);
    expect([narrowed.reason, whole.reason, ofAdmin.ended]).toEqual(['rights_changed', 'rights_changed', false]);
    const again = await Stream.open(viewer);
    await world.admin.put(`/api/identity/users/${viewer.id}`, { deactivated: true });
    await until(() => again.ended, 1_500);
    expect(again.reason).toBe('rights_changed');

    const other = await world.person('admin');
    const { body } = await world.stranger.post('/api/auth/login', { email: other.email, password: PASSWORD });
    const short = await Stream.open(new Person(world.baseUrl, body.access_token as string));
    await other.post('/api/auth/logout', { refresh_token: body.refresh_token });
    await until(() => short.ended, 1_500);
    expect(short.reason).toBe('rights_changed');
  });

  it('holds little for a client that never reads, hangs up on it, and lets nobody else wait', async () => {
    const { hostname, port } = new URL(world.baseUrl);
    const server = world.app.getHttpServer();
    const ofServer: Socket[] = [];
    const keep = (socket: Socket): void => void ofServer.push(socket);
    server.on('connection', keep);
    const client = connect(Number(port), hostname);
    client.write(
      `GET /api/events/stream HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${world.admin.token}\r\n\r\n`,
    );
    const [headers] = (await once(client, 'data')) as [Buffer];
    client.pause();
    expect(String(headers)).toMatch(/^HTTP\/1\.1 200 /);
    server.off('connection', keep);
    const unread = ofServer.find(({ remotePort }) => remotePort === client.localPort);

    let mostHeld = 0;
    const sampling = setInterval(() => (mostHeld = Math.max(mostHeld, unread?.writableLength ?? 0)), 20);
    try {
      const reader = await Stream.open(world.admin, `orgID=${world.organization}`);
      const published: string[] = [];
      for (let n = 0; n < 5; n++) published.push(...(await publish(world.organization, 100, LongEvent)));
      await until(() => reader.events.length === published.length, 60_000);
      expect(reader.subjects).toEqual(published);
      await until(() => unread?.destroyed === true, 60_000);
      expect(mostHeld).toBeGreaterThan(0);
      expect(mostHeld).toBeLessThan(1 << 20);
    } finally {
      clearInterval(sampling);
      client.destroy();
    }
  }, 180_000);

  it('is served so many times to one user', async () => {
    const person = await world.person();
    const streams = [await Stream.open(person), await Stream.open(person), await Stream.open(person)];
    expect((await Stream.open(person)).response.status).toBe(429);
    streams[0]?.hangUp();
    await until(() => streams[0]?.ended === true);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await Stream.open(person)).response.status).toBe(200);
  });

  it('ends when its replica shuts down, which does not wait for it', async () => {
    const second = await createApp(world.get(Env as never), world.get(DatabaseUrl).href);
    await second.listen(0, '127.0.0.1');
    const baseUrl = (await second.getUrl()).replace('[::1]', '127.0.0.1');
    const stream = await Stream.open(new Person(baseUrl, world.admin.token));
    const [published] = await publish(world.organization);
    await until(() => stream.events.length === 1);
    expect(stream.subjects).toEqual([published]);
    const before = performance.now();
    await second.close();
    expect(performance.now() - before).toBeLessThan(4_000);
    await until(() => stream.ended);
    expect(stream.reason).toBe('shutdown');
  });
});
