import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook as Verifier } from 'standardwebhooks';
import { DatabaseUrl } from '../src/core/database/database-url.js';
import { UnitOfWork } from '../src/core/database/unit-of-work.js';
import { FeedStore } from '../src/events/feed.store.js';
import { WebhookSettings } from '../src/events/webhooks/deliveries/webhook-settings.js';
import { WorkerPresence } from '../src/core/leases/worker-presence.js';
import { Receiver, type Received } from './support/receiver.js';
import { compiledProgram } from './support/programs.js';
import { until } from './support/until.js';
import { done } from './support/workspace-scene.js';
import { World } from './support/world.js';

const EVENTS = 1_200;
const BATCH = 25;
const SUBJECTS = Array.from({ length: 60 }, () => randomUUID());
const ENDPOINTS = 3;
/** What an endpoint is sent in one turn, whose outcomes are written together. */
const OF_ONE_TURN = 50;
/** Longer than any wait of this test: what a killed server held is taken over without waiting for its end. */
const LEASE_MS = 600_000;
const PATIENCE_MS = 120_000;

let world: World;
let receiver: Receiver;
const replicas: Replica[] = [];

/** A second server in a process of its own. */
interface Replica {
  child: ChildProcess;
  baseUrl: string;
}

async function startReplica(): Promise<Replica> {
  const program = await compiledProgram('test/server-replica.ts');
  const child = spawn(process.execPath, [program, world.get(DatabaseUrl).href, String(LEASE_MS)], {
    env: {},
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const replica = { child, baseUrl: '' };
  replicas.push(replica);
  for await (const line of createInterface(child.stdout)) {
    replica.baseUrl = /^ready at (.+)$/.exec(line)?.[1] ?? '';
    if (replica.baseUrl) break;
  }
  return replica;
}

async function kill({ child }: Replica): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Follows the events over a stream of one server, and of another after it was hung up on. */
class ResumingSubscriber {
  readonly numbers: number[] = [];
  private readonly ending = new AbortController();

  /** @param last the id of the event after which it begins */
  constructor(
    private last: string,
    private readonly servers: () => string[],
  ) {
    void this.follow();
  }

  stop(): void {
    this.ending.abort();
  }

  private async follow(): Promise<void> {
    for (let turn = 0; !this.ending.signal.aborted; turn++) {
      const servers = this.servers();
      await this.read(servers[turn % servers.length] ?? world.baseUrl).catch(() => sleep(100));
    }
  }

  private async read(server: string): Promise<void> {
    const signal = AbortSignal.any([this.ending.signal, AbortSignal.timeout(2_000)]);
    const headers = { authorization: `Bearer ${world.admin.token}`, 'last-event-id': this.last };
    const response = await fetch(`${server}/api/events/stream?orgID=${world.organization}`, { headers, signal });
    if (response.status !== 200) throw new Error(`answered ${response.status}`);
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk as Uint8Array).toString();
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const id = /^id: (.+)$/m.exec(text.slice(0, end))?.[1];
        if (id && /^data: .*"action":"updated"/m.test(text.slice(0, end))) this.numbers.push(Number(id.split(':')[1]));
        this.last = id ?? this.last;
        text = text.slice(end + 2);
      }
    }
  }
}

/** Appends events, each about one of the records, with the statement that the servers use. */
async function append(count: number): Promise<void> {
  const unit = world.get(UnitOfWork);
  const feed = new FeedStore(unit);
  for (let made = 0; made < count; made += BATCH) {
    const events = Array.from({ length: BATCH }, (_, n) => ({
      ...{ id: randomUUID(), organization_id: world.organization, workspace_id: null, user_id: null },
      ...{ system_actor: 'test', acted_upon: SUBJECTS[(made + n) % SUBJECTS.length] ?? '', operation_id: null },
      ...{
        category: 'environment',
        action: 'updated',
        severity: 'informational',
        description: 'changed',
        metadata: {},
      },
    }));
    const { text, values } = feed.appendStatement(events);
    await unit.runAsSystem('events of a test', () => unit.manager.query(text, values));
  }
}

beforeAll(async () => {
  world = await World.start({ OUTBOUND_ALLOW: '127.0.0.1/32' });
  receiver = await Receiver.start();
});
afterAll(async () => {
  for (const { child } of replicas) child.kill('SIGKILL');
  await world.stop();
  await receiver.stop();
});

it('events reach webhooks and subscribers once and in order while a server is killed', async () => {
  const secrets = new Map<string, Verifier>();
  const answered = new Map<string, number>();
  receiver.answer = (response, { path, headers }) => {
    const key = `${path} ${String(headers['webhook-id'])}`;
    answered.set(key, (answered.get(key) ?? 0) + 1);
    setTimeout(() => response.writeHead(204).end(), 5);
  };
  for (let n = 0; n < ENDPOINTS; n++) {
    const endpoint = { url: `${receiver.url}/${n}`, events: ['environment.updated'] };
    const { secret } = await done(world.admin.post(`/api/identity/orgs/${world.organization}/webhooks`, endpoint));
    secrets.set(`/${n}`, new Verifier(secret as string));
  }
  // This server has a slot for one endpoint, so that the other one has the others.
  const settings = world.get(WebhookSettings);
  const { slots } = settings;
  settings.slots = 1;
  const replica = await startReplica();
  const [counter] = await world.sql<{ last: string }>('SELECT last FROM event_counter WHERE feed = $1', [
    world.organization,
  ]);
  const last = `${world.organization}:${counter?.last}`;
  const subscribers = [
    new ResumingSubscriber(last, () => [world.baseUrl]),
    new ResumingSubscriber(last, () => [
      replica.child.exitCode === null && !replica.child.killed ? replica.baseUrl : world.baseUrl,
    ]),
  ];

  let writing = true;
  const written = append(EVENTS).finally(() => (writing = false));
  const heldByReplica = async (): Promise<number> => {
    const own = world.get(WorkerPresence).id;
    const [row] = await world.sql<{ held: number }>(
      'SELECT count(*)::int AS held FROM webhook_queue WHERE worker <> $1',
      [own],
    );
    return row?.held ?? 0;
  };
  await until(async () => receiver.received.length > ENDPOINTS * 50 && (await heldByReplica()) > 0, PATIENCE_MS);
  await kill(replica);
  settings.slots = slots;
  expect(writing || receiver.received.length < EVENTS * ENDPOINTS).toBe(true);
  await written;

  const rows = await world.sql<{ sequence: string; id: string }>(
    `SELECT sequence, id FROM event WHERE organization_id = $1 AND category = 'environment' AND action = 'updated' ORDER BY sequence`,
    [world.organization],
  );
  expect(rows).toHaveLength(EVENTS);
  const wanted = rows.map(({ sequence }) => Number(sequence));
  await until(() => answered.size >= EVENTS * ENDPOINTS, PATIENCE_MS);
  const through = wanted.at(-1) ?? 0;
  await until(() => subscribers.every(({ numbers }) => (numbers.at(-1) ?? 0) >= through), PATIENCE_MS);
  for (const subscriber of subscribers) subscriber.stop();

  for (const [path, verifier] of secrets) {
    const handled = new Set<string>();
    const bySubject = new Map<string, number[]>();
    for (const each of receiver.at(path)) {
      const { data } = verify(verifier, each);
      if (handled.has(data.id)) continue;
      handled.add(data.id);
      bySubject.set(data.acted_upon, [...(bySubject.get(data.acted_upon) ?? []), Number(data.sequence)]);
    }
    expect([...handled].sort()).toEqual(rows.map(({ id }) => id).sort());
    for (const numbers of bySubject.values()) expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  }
  // What comes again was on its way when the server was killed, which could not write that it was answered.
  const repeated = [...answered.values()].filter((times) => times > 1);
  expect(repeated.length).toBeLessThanOrEqual(ENDPOINTS * OF_ONE_TURN);
  expect(repeated.every((times) => times === 2)).toBe(true);
  for (const { numbers } of subscribers) expect(numbers).toEqual(wanted);
}, 300_000);

const verify = (verifier: Verifier, { body, headers }: Received) =>
  verifier.verify(body, headers as Record<string, string>) as {
    data: { id: string; sequence: string; acted_upon: string };
  };
