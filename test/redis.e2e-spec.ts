import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createClient } from '@redis/client';
import pg from 'pg';
import { createApp } from '../src/app.setup.js';
import { Env } from '../src/core/config/env.js';
import { DatabaseUrl } from '../src/core/database/database-url.js';
import { AUTHORITY, CERTIFICATES, CERTIFIED_KEY } from './support/certificates.js';
import { type Json, Person } from './support/person.js';
import { requires } from './support/requirements.js';
import { trust } from './support/trust.js';
import { until } from './support/until.js';
import { World } from './support/world.js';

const PASSWORD = 'canary-of-redis';

/** The events of an organization as they arrive. */
class EventStream {
  readonly subjects: string[] = [];

  private constructor(private readonly abort: AbortController) {}

  static async open({ baseUrl, token }: Person): Promise<EventStream> {
    const abort = new AbortController();
    const headers = { authorization: `Bearer ${token}` };
    const { body } = await fetch(`${baseUrl}/api/events/stream`, { headers, signal: abort.signal });
    const stream = new EventStream(abort);
    if (body) stream.read(body).catch(() => undefined);
    return stream;
  }

  end(): void {
    this.abort.abort();
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    for await (const line of createInterface({ input: Readable.fromWeb(body as never) }))
      if (line.startsWith('data: ')) this.subjects.push(JSON.parse(line.slice(6)).acted_upon);
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

requires('REDIS_BIN', 'a replica and a Redis over TLS', (program) => {
  let port: number;
  let folder: string;
  let redis: ChildProcess | null = null;
  let world: World;
  let stream: EventStream;
  let restore: (() => void) | null = null;
  const said: string[] = [];

  const start = async (certificate: keyof typeof CERTIFICATES): Promise<void> => {
    const file = async (name: string, text: string): Promise<string> => {
      await writeFile(join(folder, name), text);
      return join(folder, name);
    };
    const options = [
      '--port',
      '0',
      '--tls-port',
      `${port}`,
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--requirepass',
      PASSWORD,
    ];
    const tls = [
      ...['--tls-cert-file', await file('certificate.pem', CERTIFICATES[certificate])],
      ...['--tls-key-file', await file('key.pem', CERTIFIED_KEY)],
      ...['--tls-ca-cert-file', await file('authority.pem', AUTHORITY), '--tls-auth-clients', 'no'],
    ];
    redis = spawn(program, [...options, ...tls], { stdio: 'ignore' });
    await once(redis, 'spawn');
  };
  const kill = async (): Promise<void> => {
    const killed = redis;
    redis = null;
    killed?.kill('SIGKILL');
    if (killed && killed.exitCode === null && killed.signalCode === null) await once(killed, 'exit');
  };
  const becomes = (state: RegExp): Promise<void> =>
    until(async () => {
      const { status, checks } = (await (await fetch(`${world.baseUrl}/healthz/ready`)).json()) as Json;
      return status === checks.redis.status && state.test(checks.redis.status as string);
    }, 30_000);
  const arrives = async (count: number): Promise<void> => {
    const names: string[] = [];
    for (let n = 0; n < count; n++) {
      const made = await world.admin.post('/api/environments', { name: `${n}`, organization_id: world.organization });
      names.push(made.body.id as string);
    }
    await until(() => stream.subjects.length >= names.length, 30_000);
    expect(stream.subjects.splice(0)).toEqual(names);
  };

  beforeAll(async () => {
    port = await findFreePort();
    folder = await mkdtemp(join(tmpdir(), 'armature-redis-'));
    await start('good');
    world = await World.start({ REDIS_URL: `rediss://:${PASSWORD}@127.0.0.1:${port}` });
    const keep = (...words: unknown[]): void => void said.push(words.map(String).join(' '));
    world.app.useLogger({ log: keep, warn: keep, error: keep, fatal: keep });
    stream = await EventStream.open(world.admin);
  });
  afterAll(async () => {
    restore?.();
    stream.end();
    await world.stop();
    await kill();
    await rm(folder, { recursive: true });
  });

  it('goes through the database while the authority of the certificate is not known, and loses nothing', async () => {
    await becomes(/^degraded/);
    await arrives(5);
  });

  it('uses it once the authority is trusted', async () => {
    restore = trust(AUTHORITY);
    await becomes(/^ok$/);
    await arrives(5);
  });

  it('reports that the certificate is of another server, does not reveal the password, and loses nothing', async () => {
    await kill();
    await start('otherName');
    await becomes(/^degraded/);
    const away = `Redis at 127.0.0.1:${port} is unavailable; events go through the database until it is back: `;
    await until(() => said.some((line) => line.includes(`${away}the certificate is for another name`)), 30_000);
    await arrives(5);
    await kill();
    await start('good');
    await becomes(/^ok$/);
    await until(() => said.some((line) => line.includes(`Redis at 127.0.0.1:${port} is back`)));
    expect(said.join('\n')).not.toContain(PASSWORD);
  }, 120_000);
});

requires('REDIS_BIN', 'two replicas and a Redis', (program) => {
  let port: number;
  let redis: ChildProcess | null = null;
  let world: World;
  let second: NestExpressApplication;
  let elsewhere: Person;
  let listener: pg.Client;
  const notified: string[] = [];
  const said: string[] = [];
  const subscribers: Subscriber[] = [];

  /** What one subscription was sent: numbers, and the delay of the last. */
  class Subscriber {
    readonly numbers: number[] = [];
    readonly errors: unknown[] = [];
    private readonly client;

    constructor(person: Person, organizationID: string, after: string) {
      this.client = person.socket();
      this.client.subscribe<Json>(
        {
          query: `subscription ($organizationID: ID, $after: String) {
            subscribeEvents(organizationID: $organizationID, after: $after) { sequence } }`,
          variables: { organizationID, after },
        },
        {
          next: ({ data }) => void this.numbers.push(Number(data.subscribeEvents.sequence)),
          error: (error) => void this.errors.push(error),
          complete: () => undefined,
        },
      );
    }

    async end(): Promise<void> {
      await this.client.dispose();
    }
  }

  const startRedis = async (): Promise<void> => {
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--requirepass', PASSWORD];
    redis = spawn(program, options, { stdio: 'ignore' });
    await once(redis, 'spawn');
  };
  const killRedis = async (): Promise<void> => {
    const killed = redis;
    redis = null;
    killed?.kill('SIGKILL');
    if (killed && killed.exitCode === null && killed.signalCode === null) await once(killed, 'exit');
  };
  const readiness = async (baseUrl: string): Promise<Json> => (await fetch(`${baseUrl}/healthz/ready`)).json();
  const becomes = (state: RegExp): Promise<void> =>
    until(async () => {
      const both = await Promise.all([readiness(world.baseUrl), readiness(elsewhere.baseUrl)]);
      return both.every(({ status, checks }) => status === checks.redis.status && state.test(status as string));
    }, 30_000);
  let made = 0;
  const write = async (times: number): Promise<void> => {
    for (let n = 0; n < times; n++) {
      const by = ++made % 2 ? world.admin : elsewhere;
      const { status } = await by.post('/api/environments', { name: `${made}`, organization_id: world.organization });
      expect(status).toBe(201);
    }
  };
  let first: number;
  /** Everybody has every number once and in order. */
  const arrived = async (): Promise<void> => {
    const [row] = await world.sql<{ last: string }>('SELECT last FROM event_counter WHERE feed = $1', [
      world.organization,
    ]);
    const last = Number(row?.last);
    await until(() => subscribers.every(({ numbers }) => (numbers.at(-1) ?? 0) >= last), 30_000);
    const wanted = Array.from({ length: last - first }, (_, index) => first + 1 + index);
    for (const { numbers, errors } of subscribers) expect([numbers, errors]).toEqual([wanted, []]);
  };
  const isOfEvents = (payload: string): boolean => (JSON.parse(payload) as [string])[0] === 'events';

  beforeAll(async () => {
    port = await findFreePort();
    world = await World.start({ REDIS_URL: `redis://:${PASSWORD}@127.0.0.1:${port}` });
    second = await createApp(world.get(Env as never), world.get(DatabaseUrl).href);
    await second.listen(0, '127.0.0.1');
    elsewhere = new Person((await second.getUrl()).replace('[::1]', '127.0.0.1'), world.admin.token);
    const keep = (...words: unknown[]): void => void said.push(words.map(String).join(' '));
    second.useLogger({ log: keep, warn: keep, error: keep, fatal: keep });
    listener = new pg.Client({ connectionString: world.get(DatabaseUrl).href });
    await listener.connect();
    listener.on('notification', ({ payload }) => void notified.push(payload ?? ''));
    await listener.query('LISTEN armature_pubsub');
    const [row] = await world.sql<{ last: string }>('SELECT last FROM event_counter WHERE feed = $1', [
      world.organization,
    ]);
    first = Number(row?.last ?? 0);
    for (const person of [world.admin, elsewhere])
      subscribers.push(new Subscriber(person, world.organization, String(first)));
  });

  afterAll(async () => {
    for (const subscriber of subscribers) await subscriber.end();
    await listener.end();
    await second.close();
    await world.stop();
    await killRedis();
  });

  it('start without it and are ready, degraded, and events go through the database', async () => {
    await becomes(/^degraded/);
    await write(6);
    await arrived();
    expect(notified.some(isOfEvents)).toBe(true);
  });

  it('use it once it is there', async () => {
    await startRedis();
    await becomes(/^ok$/);
    await write(2);
    await arrived();
    notified.length = 0;
    await write(20);
    await arrived();
    expect(notified.filter(isOfEvents)).toEqual([]);
  });

  it('lose nothing, double nothing and keep the order while it is killed and started again', async () => {
    await write(5);
    const writing = write(40);
    await killRedis();
    await writing;
    await arrived();
    const more = write(20);
    await startRedis();
    await more;
    await becomes(/^ok$/);
    await write(5);
    await arrived();
  });

  it('pass by what others write there', async () => {
    const client = createClient({ url: `redis://:${PASSWORD}@127.0.0.1:${port}` });
    await client.connect();
    const [channel = ''] = await client.pubSubChannels('armature:*');
    for (const message of ['{', '[]', 'null', '["events"]', '["events",{"organizationId":7}]'])
      expect(await client.publish(channel, message)).toBe(2);
    client.destroy();
    await write(4);
    await arrived();
  });

  it('go on while it does not answer', async () => {
    redis?.kill('SIGSTOP');
    await write(4);
    await arrived();
    redis?.kill('SIGCONT');
    await becomes(/^ok$/);
    await write(4);
    await arrived();
  });

  it('never reveal its password', async () => {
    await killRedis();
    await becomes(/^degraded/);
    await until(() => said.some((line) => line.includes(`Redis at 127.0.0.1:${port} is unavailable`)));
    expect(said.join('\n')).not.toContain(PASSWORD);
    expect(JSON.stringify(await readiness(world.baseUrl))).not.toContain(PASSWORD);
  });
});

requires('REDIS_BIN', 'a replica whose user of Redis has too few rights', (program) => {
  let port: number;
  let redis: ChildProcess;
  let world: World;
  let stream: EventStream;
  let operator: ReturnType<typeof createClient>;
  const said: string[] = [];

  const allow = (...rules: string[]) => operator.sendCommand(['ACL', 'SETUSER', 'server', ...rules]);
  const state = async (): Promise<string> =>
    ((await (await fetch(`${world.baseUrl}/healthz/ready`)).json()) as Json).checks.redis.status as string;
  const becomes = (wanted: RegExp) => until(async () => wanted.test(await state()), 30_000);
  const writeAndReceive = async (): Promise<void> => {
    const made = await world.admin.post('/api/environments', { name: 'e', organization_id: world.organization });
    await until(() => stream.subjects.length > 0, 5_000);
    expect(stream.subjects.splice(0)).toEqual([made.body.id]);
  };

  beforeAll(async () => {
    port = await findFreePort();
    redis = spawn(program, ['--port', `${port}`, '--bind', '127.0.0.1', '--save', ''], { stdio: 'ignore' });
    await once(redis, 'spawn');
    operator = createClient({ url: `redis://127.0.0.1:${port}` });
    operator.on('error', () => undefined);
    await operator.connect();
    await allow('on', `>${PASSWORD}`, '+@all', '-subscribe', 'allchannels');
    world = await World.start({ REDIS_URL: `redis://server:${PASSWORD}@127.0.0.1:${port}` });
    const keep = (...words: unknown[]): void => void said.push(words.map(String).join(' '));
    world.app.useLogger({ log: keep, warn: keep, error: keep, fatal: keep });
    stream = await EventStream.open(world.admin);
  });
  afterAll(async () => {
    stream.end();
    await world.stop();
    operator.destroy();
    redis.kill('SIGKILL');
    if (redis.exitCode === null && redis.signalCode === null) await once(redis, 'exit');
  });

  it('reports that it may not subscribe, looks for events itself, and subscribes once it may', async () => {
    expect(await state()).toMatch(/^degraded/);
    await writeAndReceive();
    await allow('+subscribe');
    await becomes(/^ok$/);
    await until(() => said.some((line) => line.includes('is back')));
    await writeAndReceive();
  });

  it('reports that it may not publish, goes through the database, and publishes once it may', async () => {
    await allow('-publish');
    await writeAndReceive();
    expect(await state()).toMatch(/^degraded/);
    expect(said.filter((line) => /is unavailable.*NOPERM.*publish/.test(line))).toHaveLength(1);
    await allow('+publish');
    await writeAndReceive();
    await becomes(/^ok$/);
    expect(said.join('\n')).not.toContain(PASSWORD);
  });
});
