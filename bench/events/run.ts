import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { resumingSubscriber, type Subscriber } from '../outage/subscribers.js';
import { startDatabase, withClient } from '../support/database.js';
import { summarizeLatencies } from '../support/latencies.js';
import { load, table } from '../support/load.js';
import { production, signIn } from '../support/server.js';
import { appendEvents } from './append.js';
import { LockWaits } from './lock-waits.js';
import { startReceiver } from './receiver.js';
import { KilledReplica } from './replicas.js';

/**
 * Events while processes are killed: so many (100,000 unless said otherwise) over two replicas, one of which is killed with SIGKILL
 * every ten seconds. Reports what a verifying receiver of webhooks and resuming subscribers received of them. Some are of calls to the
 * replicas; most are appended beside them with the statement that the replicas use, which takes no processor time from these.
 */
const EVENTS = Number(process.argv[2] ?? 100_000);
const KILL_EVERY_MS = Number(process.env['BENCH_KILL_SECONDS'] ?? 10) * 1000;
/** Each changes a record of its own by calls, one change after another. */
const WRITERS = Number(process.env['BENCH_WRITERS'] ?? 8);
/** Events appended beside the calls: so many a second, about so many records. */
const RATE = Number(process.env['BENCH_RATE'] ?? 200);
const SUBJECTS = 200;
/** Nothing more is asked for after so long. */
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 3600);
const REDIS = process.env['BENCH_REDIS'];
const FIRST_PORT = 19_490;
const REDIS_PORT = FIRST_PORT + 5;
/** How long to wait while nothing more comes: longer than a lease and the sweeps after it. */
const PATIENCE_MS = 120_000;

const database = await startDatabase();
const receiver = await startReceiver();
const redis = REDIS ? spawn(REDIS, ['--port', String(REDIS_PORT), '--save', ''], { stdio: 'ignore' }) : undefined;
const settings = production(database.url, {
  OUTBOUND_ALLOW: '127.0.0.0/8',
  DATA_DIR: mkdtempSync(join(tmpdir(), 'armature-bench-data-')),
  ...(redis ? { REDIS_URL: `redis://127.0.0.1:${REDIS_PORT}` } : {}),
});
const replicas = [0, 1].map((n) => new KilledReplica(FIRST_PORT + n, settings));
let writing = true;
const subscribers: Subscriber[] = [];
try {
  for (const replica of replicas) await replica.start();
  const token = await signIn(replicas[0]?.url ?? '');
  const call = (path: string, method: string, body?: object, at = 0): Promise<Response> =>
    fetch(`${replicas[at % 2]?.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const make = async (path: string, body: object): Promise<Record<string, string>> => {
    const response = await call(path, 'POST', body);
    if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Record<string, string>;
  };
  const { id: organization = '' } = await make('/api/identity/orgs', { name: 'Events' });
  const records = await Promise.all(
    Array.from({ length: WRITERS }, (_, n) =>
      make('/api/environments', { name: `${n}`, organization_id: organization }),
    ),
  );
  const endpoint = { url: receiver.url, events: ['environment.updated'] };
  receiver.setSecret((await make(`/api/identity/orgs/${organization}/webhooks`, endpoint))['secret'] ?? '');
  for (const { url } of replicas) subscribers.push(resumingSubscriber(url, token, organization));
  await sleep(3_000);

  const cpu = () => ({
    servers: replicas.reduce((sum, replica) => sum + replica.cpu(), 0),
    database: database.cpu(),
  });
  const cpuBefore = cpu();
  const begun = performance.now();
  const received = (): number[] => [...receiver.bySubject.values()].flat();
  let acknowledged = 0;
  let asked = 0;
  let appended = 0;
  const isWanted = (): boolean => asked < EVENTS && performance.now() - begun < SECONDS * 1000;
  const feeding = withClient(database.url, async (client) => {
    const subjects = Array.from({ length: SUBJECTS }, () => randomUUID());
    while (isWanted()) {
      const batch = Array.from({ length: Math.ceil(RATE / 20) }, () => subjects[asked++ % SUBJECTS] ?? '');
      await appendEvents(client, organization, batch);
      appended += batch.length;
      await sleep(50);
    }
  });
  const writers = records.map(async ({ id }, n) => {
    for (let change = 0; isWanted(); change++) {
      asked++;
      const body = { description: `${n} ${change}` };
      for (let attempt = n; ; attempt++) {
        const done = await call(`/api/environments/${id}`, 'PUT', body, attempt).then(
          async (response) => (await response.text(), response.ok),
          () => false,
        );
        if (done) break;
        await sleep(100);
      }
      acknowledged++;
    }
  });
  const watching = withClient(database.url, async (client) => {
    const waits = new LockWaits(client);
    while (writing) await sleep(250);
    waits.stop();
    return waits.longest;
  });
  const killing = (async () => {
    for (let n = 0; writing; n++) {
      for (const end = performance.now() + KILL_EVERY_MS; writing && performance.now() < end;) await sleep(100);
      if (!writing) break;
      await replicas[n % 2]?.kill();
      await replicas[n % 2]?.start();
    }
  })();
  const report = setInterval(
    () =>
      console.log(
        `${acknowledged} by calls, ${appended} appended, of ${EVENTS}; ${received().length} at the receiver; load average ${load()}`,
      ),
    20_000,
  );
  await Promise.all([...writers, feeding]);
  const seconds = (performance.now() - begun) / 1000;
  writing = false;
  clearInterval(report);
  await killing;
  const wait = await watching;

  const published = await withClient(database.url, async (client) => {
    const { rows } = await client.query<{ sequence: string; subject: string }>(
      `SELECT sequence, acted_upon AS subject FROM event
        WHERE organization_id = $1 AND category = 'environment' AND action = 'updated' ORDER BY sequence`,
      [organization],
    );
    return rows.map(({ sequence, subject }) => ({ sequence: Number(sequence), subject }));
  });
  const wanted = published.map(({ sequence }) => sequence);
  const counts = (): number[] => [received(), ...subscribers.map(({ numbers }) => numbers)].map(({ length }) => length);
  for (
    let [end, sum] = [Date.now() + PATIENCE_MS, 0];
    Date.now() < end && counts().some((count) => count < wanted.length);
    await sleep(500)
  ) {
    const now = counts().reduce((total, count) => total + count, 0);
    if (now > sum) [end, sum] = [Date.now() + PATIENCE_MS, now];
  }
  const wholeSeconds = (performance.now() - begun) / 1000;
  const cpuAfter = cpu();
  await sleep(2_000);

  const disorder = (numbers: number[]): number =>
    numbers.filter((number, index) => index > 0 && number < (numbers[index - 1] ?? 0)).length;
  const judge = (name: string, numbers: number[], outOfOrder: number): string[] => {
    const [all, own] = [new Set(wanted), new Set(numbers)];
    const lost = wanted.filter((number) => !own.has(number)).length;
    const relevant = numbers.filter((number) => all.has(number));
    return [name, ...[relevant.length, lost, relevant.length - new Set(relevant).size, outOfOrder].map(String)];
  };
  const rows = [
    judge(
      'webhook receiver',
      received(),
      [...receiver.bySubject.values()].reduce((sum, each) => sum + disorder(each), 0),
    ),
    ...subscribers.map(({ numbers }, n) => judge(`resuming subscriber ${n + 1}`, numbers, disorder(numbers))),
  ];
  const kills = replicas.reduce((sum, replica) => sum + replica.kills, 0);
  const times = summarizeLatencies(receiver.delays, seconds);
  console.log(
    `\n${wanted.length} events in ${seconds.toFixed(0)} s over two replicas${redis ? ' and Redis' : ''}, ${kills} kills, load average ${load()}`,
  );
  console.log(
    `${acknowledged} by calls, ${appended} appended; event to webhook p50 ${times.p50.toFixed(0)} ms, p99 ${times.p99.toFixed(0)} ms`,
  );
  const each = (used: number): string => (used / wanted.length).toFixed(2);
  console.log(
    `everything had come after ${wholeSeconds.toFixed(0)} s; processor time of an event: ` +
      `servers ${each(cpuAfter.servers - cpuBefore.servers)} ms without their starts, database ${each(cpuAfter.database - cpuBefore.database)} ms`,
  );
  const starts = replicas.flatMap((replica) => replica.starts).map(({ ms, cpu }) => ({ ms, share: cpu / ms }));
  const slowest = starts.reduce((most, each) => (each.ms > most.ms ? each : most));
  console.log(
    `starts until ready: longest ${(slowest.ms / 1000).toFixed(1)} s with ${(slowest.share * 100).toFixed(0)} % of a processor, ` +
      `of ${starts.length}; longest wait for a lock ${(wait.seconds * 1000).toFixed(0)} ms${wait.statement && `: ${wait.statement} behind ${wait.behind}`}`,
  );
  console.log(
    `deliveries of one webhook-id again: ${receiver.repeated()}; signatures that do not hold: ${receiver.refused()}\n`,
  );
  console.log(table(['', 'events', 'lost', 'doubled', 'out of order'], rows));
  const faults = rows.flatMap((row) => row.slice(2)).filter((count) => count !== '0').length;
  if (faults > 0 || receiver.refused() > 0 || wanted.length < acknowledged + appended) process.exitCode = 1;
} finally {
  writing = false;
  for (const { stop } of subscribers) stop();
  for (const replica of replicas) await replica.kill('SIGTERM');
  await receiver.stop();
  redis?.kill();
  await database.stop();
}
