import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';
import { UnitOfWork } from '../src/core/database/unit-of-work.js';
import { toAppError } from '../src/core/errors/problem.js';
import { JobsService } from '../src/jobs/jobs.service.js';
import { enqueue, gate } from './jobs-replica.js';
import { DatabaseProxy } from './support/database-proxy.js';
import type { Answer, Person } from './support/person.js';
import { until } from './support/until.js';
import { World } from './support/world.js';

const OUTAGE_MS = 4_000;

let world: World;
let proxy: DatabaseProxy;
let workspace: string;

beforeAll(async () => {
  world = await World.start({}, async (url) => {
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
    expect(asked.body.errors[0].extensions.code).toBe('DATABASE_UNAVAILABLE');
    const [live, ready] = [await world.stranger.get('/healthz/live'), await world.stranger.get('/healthz/ready')];
    expect([live.status, ready.status]).toEqual([200, 503]);
    open();
    await away;
    await proxy.giveBack();

    await until(async () => (await world.stranger.get('/healthz/ready')).status === 200, 20_000);
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
