import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createClient } from '@redis/client';
import pg from 'pg';
import { createApp } from '../src/app.setup.js';
import { Env } from '../src/core/config/env.js';
import { DatabaseUrl } from '../src/core/database/database-url.js';
import { type Json, Person } from './support/person.js';
import { requires } from './support/requirements.js';
import { until } from './support/until.js';
import { World } from './support/world.js';

const PASSWORD = 'canary-of-redis';

async function findFreePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

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
      return both.every(({ status, checks }) => status === 'ok' && state.test(checks.redis as string));
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
    await until(() => said.some((line) => line.includes(`Redis at 127.0.0.1:${port} is away`)));
    expect(said.join('\n')).not.toContain(PASSWORD);
    expect(JSON.stringify(await readiness(world.baseUrl))).not.toContain(PASSWORD);
  });
});
