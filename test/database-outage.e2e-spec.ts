import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import WebSocket from 'ws';
import { migrate } from '../src/core/database/migrate.js';
import { UnitOfWork } from '../src/core/database/unit-of-work.js';
import { toAppError } from '../src/core/errors/problem.js';
import { JobsService } from '../src/jobs/jobs.service.js';
import { migrations } from '../src/migrations/migrations.js';
import { enqueue, gate } from './jobs-replica.js';
import { databaseUrl, onServer } from './support/database.js';
import { DatabaseProxy } from './support/database-proxy.js';
import type { Answer, Person } from './support/person.js';
import { until } from './support/until.js';
import { World } from './support/world.js';

const OUTAGE_MS = 4_000;

let world: World;
let proxy: DatabaseProxy;
let workspace: string;
/** Signs in the owner of the tables. */
let ownerUrl: string;

beforeAll(async () => {
  world = await World.start({}, async (url) => {
    ownerUrl = url;
    proxy = await DatabaseProxy.before(url);
    return proxy.url;
  });
  workspace = await change('before everything');
});
afterAll(async () => {
  await world.stop();
  await proxy.stop();
});

/** Creates a workspace, which publishes an event. */
async function change(name: string): Promise<string> {
  const { status, body } = await world.admin.post('/api/workspaces', { name, organization_id: world.organization });
  if (status !== 201) throw new Error(`no workspace was made: ${JSON.stringify(body)}`);
  return body.id as string;
}

/** Collects the numbers of the events of the organization that a WebSocket receives. */
async function follow(person: Person): Promise<{ numbers: number[]; socket: WebSocket }> {
  const socket = new WebSocket(
    `${person.baseUrl.replace('http', 'ws')}/api/system/graphql/query`,
    'graphql-transport-ws',
  );
  const numbers: number[] = [];
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: `Bearer ${person.token}` } }));
  await once(socket, 'message');
  const query = `subscription { subscribeEvents(organizationID: "${world.organization}") { sequence } }`;
  socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query } }));
  socket.on('message', (data) => {
    const { type, payload } = JSON.parse((data as Buffer).toString()) as {
      type: string;
      payload?: { data: { subscribeEvents: { sequence: string } } };
    };
    if (type === 'next') numbers.push(Number(payload?.data.subscribeEvents.sequence));
  });
  return { numbers, socket };
}

async function timed(call: () => Promise<Answer>): Promise<Answer & { ms: number }> {
  const started = performance.now();
  return { ...(await call()), ms: performance.now() - started };
}

describe.each(['refuse', 'swallow'] as const)('a database that is away for four seconds (%s)', (way) => {
  it('is answered 503 with Retry-After, costs few connections and loses no event, no job and no socket', async () => {
    const { numbers, socket } = await follow(world.admin);
    const { open, opened } = gate();
    const queue = `through-an-outage-${way}`;
    let attempts = 0;
    world.get(JobsService).registerHandler(queue, {
      concurrency: 1,
      handle: async () => {
        attempts++;
        await opened;
        await world.sql('SELECT 1');
        return { attempts };
      },
    });
    const { id } = await enqueue(world.get(JobsService), queue);
    await until(() => attempts === 1);
    // A subscription does not report when it has begun: earlier events are not sent.
    await until(async () => {
      await change('before');
      await sleep(250);
      return numbers.length > 0;
    });
    const before = proxy.attempts;

    await proxy.takeAway(way);
    const away = sleep(OUTAGE_MS);
    const first = await Promise.all(
      Array.from({ length: 20 }, () => timed(() => world.admin.get(`/api/workspaces?orgID=${world.organization}`))),
    );
    for (const { status, body, headers, ms } of first) {
      expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'DATABASE_UNAVAILABLE', '5']);
      expect(headers.get('content-type')).toContain('application/problem+json');
      expect(ms).toBeLessThan(9_000);
    }
    const second = await timed(() => world.admin.get(`/api/workspaces/${workspace}`));
    expect([second.status, second.ms < 500]).toEqual([503, true]);
    const { body } = await world.admin.graphql('{ __typename }');
    expect(body.errors ?? []).toEqual([]);
    const asked = await world.admin.graphql(`{ environments(orgID: "${world.organization}") { total_count } }`);
    expect(asked.body.errors[0]).toMatchObject({
      locations: [{ line: 1, column: expect.any(Number) }],
      path: expect.any(Array),
      extensions: { code: 'DATABASE_UNAVAILABLE' },
    });
    const [live, ready] = [await world.stranger.get('/healthz/live'), await world.stranger.get('/healthz/ready')];
    expect([live.status, ready.status, ready.body.status]).toEqual([200, 200, 'degraded']);
    expect(ready.body.checks.database).toEqual({ status: 'degraded', reason: 'did not respond' });
    const counted = await world.stranger.get('/metrics');
    expect(counted.body).toMatch(/^armature_graphql_errors_total\{code="DATABASE_UNAVAILABLE"\} [1-9]/m);
    open();
    await away;
    await proxy.giveBack();

    await until(async () => (await world.stranger.get('/healthz/ready')).body.status === 'ok', 20_000);
    for (const name of ['after', 'after that']) await change(name);
    await until(() => numbers.length >= 3);
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
    expect(socket.readyState).toBe(WebSocket.OPEN);
    socket.close();
    expect(await world.get(JobsService).waitUntilFinished(id, { timeoutMs: 30_000 })).toMatchObject({
      status: 'succeeded',
    });
    expect(proxy.attempts - before).toBeLessThan(60);
    expect(proxy.connections).toBeLessThanOrEqual(6);
  });
});

it('a connection that is lost between two statements of a transaction is an outage', async () => {
  const unit = world.get(UnitOfWork);
  const lost = unit.run(async () => {
    await unit.manager.query('SELECT 1');
    await proxy.takeAway('refuse');
    await sleep(100);
    await unit.manager.query('SELECT 1');
  });
  const error: unknown = await lost.catch((thrown: unknown) => thrown);
  await proxy.giveBack();
  expect(toAppError(error)).toMatchObject({ status: 503, code: 'DATABASE_UNAVAILABLE' });
});

describe('a database that answers, and', () => {
  const create = () => world.admin.post('/api/workspaces', { name: randomUUID(), organization_id: world.organization });
  const readyCheck = async () => {
    const { status, body } = await world.stranger.get('/healthz/ready');
    return [status, body.status, body.checks.database.reason];
  };
  /** Changes the database as its operator does, who is connected to another one. */
  const alter = (change: string) => {
    const name = new URL(ownerUrl).pathname.slice(1);
    return onServer(databaseUrl(ownerUrl, 'postgres'), (client) => client.query(`ALTER DATABASE ${name} ${change}`));
  };
  const isBack = () => until(async () => (await create()).status === 201 && (await readyCheck())[1] === 'ok', 40_000);

  it('became read-only, as after a failover to a standby, refuses changes with 503 and answers reads', async () => {
    await alter('SET default_transaction_read_only = on');
    await proxy.takeAway('refuse');
    await proxy.giveBack();
    await until(async () => (await readyCheck())[2] === 'accepts no changes: it is read-only', 20_000);
    expect((await readyCheck()).slice(0, 2)).toEqual([200, 'degraded']);
    for (const answer of [await create(), await world.admin.delete(`/api/workspaces/${workspace}`)]) {
      expect([answer.status, answer.body.code, answer.headers.get('retry-after')]).toEqual([
        503,
        'DATABASE_READ_ONLY',
        '5',
      ]);
      expect(answer.body.remedy).toContain('Nothing was changed');
    }
    expect((await world.admin.get(`/api/workspaces/${workspace}`)).status).toBe(200);
    expect((await world.stranger.get('/healthz/live')).status).toBe(200);

    // Connections that are open stay with the server that is read-only, and others reach the new primary.
    await alter('RESET default_transaction_read_only');
    const { numbers, socket } = await follow(world.admin);
    await isBack();
    await until(async () => (await create()).status === 201 && numbers.length > 0, 20_000);
    socket.close();
  });

  it('has no space left, refuses changes with 503 and no path of a file', async () => {
    const refuse = `RAISE 'could not extend file "base/1/2": No space left on device' USING ERRCODE = '53100'`;
    await onServer(ownerUrl, (client) =>
      client.query(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${refuse}; END $$;
                    CREATE TRIGGER full_disk BEFORE INSERT ON workspace EXECUTE FUNCTION full_disk()`),
    );
    const { status, body, headers } = await create();
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'DATABASE_FULL', '60']);
    expect(JSON.stringify(body)).not.toContain('base/');
    expect(await readyCheck()).toEqual([200, 'degraded', 'accepts no changes: its disk is full']);
    expect((await world.admin.get(`/api/workspaces/${workspace}`)).status).toBe(200);
    await onServer(ownerUrl, (client) => client.query('DROP FUNCTION full_disk CASCADE'));
    await isBack();
  });

  it('is set to end what takes long or waits ends nothing of this server, which has bounds of its own', async () => {
    for (const name of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'])
      await alter(`SET ${name} = '1ms'`);
    await alter(`SET idle_session_timeout = '300ms'`);
    await proxy.takeAway('refuse');
    await proxy.giveBack();
    await isBack();
    const writer = new pg.Client({ connectionString: ownerUrl });
    await writer.connect();
    await writer.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0');
    await writer.query(`BEGIN; LOCK TABLE workspace IN EXCLUSIVE MODE`);
    const created = create();
    await sleep(700);
    await writer.query('COMMIT');
    await writer.end();
    expect((await created).status).toBe(201);
    await sleep(700);
    const answers = await Promise.all(Array.from({ length: 8 }, create));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(await migrate(ownerUrl, migrations)).toEqual([]);
    for (const name of [
      'statement_timeout',
      'lock_timeout',
      'idle_in_transaction_session_timeout',
      'idle_session_timeout',
    ])
      await alter(`RESET ${name}`);
  });

  it.each([
    ['waits too long for a lock', '55P03', 'TOO_BUSY'],
    ['takes too long as a transaction', '25P04', 'DATABASE_UNAVAILABLE'],
  ])('ends a change that %s is answered 503', async (_what, state, code) => {
    await onServer(ownerUrl, (client) =>
      client.query(`CREATE FUNCTION ended() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'ended' USING ERRCODE = '${state}'; END $$;
                    CREATE TRIGGER ended BEFORE INSERT ON workspace EXECUTE FUNCTION ended()`),
    );
    const { status, body, headers } = await create();
    await onServer(ownerUrl, (client) => client.query('DROP FUNCTION ended CASCADE'));
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, code, '5']);
    await isBack();
  });

  it('refuses connections is unavailable, and not a fault of this server', async () => {
    await alter('ALLOW_CONNECTIONS false');
    await proxy.takeAway('refuse');
    await proxy.giveBack();
    await until(async () => (await readyCheck())[2] === 'refuses connections', 20_000);
    const { status, body } = await world.admin.get(`/api/workspaces/${workspace}`);
    expect([status, body.code]).toEqual([503, 'DATABASE_UNAVAILABLE']);
    await alter('ALLOW_CONNECTIONS true');
    await isBack();
  });
});
