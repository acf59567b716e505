import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDatabase } from '../support/database.js';
import { summarizeLatencies } from '../support/latencies.js';
import { load, table } from '../support/load.js';
import { production, signIn, startServer } from '../support/server.js';

/**
 * From an event to its webhooks: endpoints that work, alone and beside endpoints that are dead in three ways. Without arguments 100
 * that work and 900 that do not; BENCH_RATE events a second, for BENCH_SECONDS.
 */
const PRODUCT = import.meta.resolve('../support/product.js');
const LIVE = Number(process.argv[2] ?? 100);
const DEAD = Number(process.argv[3] ?? 900);
const RATE = Number(process.env['BENCH_RATE'] ?? 1);
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 30);
/** How long to wait for deliveries that have not come. */
const DEADLINE_MS = 60_000;

let delays: number[] = [];
/** The longest delay of each event. */
const slowest = new Map<string, number>();
let calls = 0;
/** What was answered with success before, by endpoint and `webhook-id`: none may come again. */
const answered = new Set<string>();
let repeated = 0;
/** Deliveries of earlier events are not counted. */
let measuredFrom = 0;

async function serve(
  answer: (response: ServerResponse, body: string, request: IncomingMessage) => void,
): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(response, Buffer.concat(chunks).toString(), request));
  });
  await once(server.listen(0, '127.0.0.1', 4_096), 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const works = await serve((response, body, request) => {
  const at = Date.parse((JSON.parse(body) as { timestamp: string }).timestamp);
  const key = `${request.url} ${String(request.headers['webhook-id'])}`;
  if (answered.has(key)) repeated++;
  else if (at >= measuredFrom) {
    const delay = Date.now() - at;
    delays.push(delay);
    const id = String(request.headers['webhook-id']);
    slowest.set(id, Math.max(delay, slowest.get(id) ?? 0));
  }
  answered.add(key);
  response.writeHead(204).end();
});
const fails = await serve((response) => {
  calls++;
  response.writeHead(500).end();
});
const hangs = await serve(() => void calls++);
const dead = [fails.url, hangs.url, 'http://127.0.0.1:1'];

const database = await startDatabase();
try {
  const settings = { OUTBOUND_ALLOW: '127.0.0.0/8' };
  const server = await startServer(PRODUCT, production(database.url, settings));
  const token = await signIn(server.url);
  const call = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  };
  const { id: organization } = await call('/api/identity/orgs', { name: 'webhooks' });
  const register = async (count: number, urls: string[]): Promise<void> => {
    const path = `/api/identity/orgs/${String(organization)}/webhooks`;
    const events = ['environment.created'];
    for (let index = 0; index < count; index += 10)
      await Promise.all(
        Array.from({ length: Math.min(10, count - index) }, (_, offset) =>
          call(path, { url: `${urls[(index + offset) % urls.length]}/${index + offset}`, events }),
        ),
      );
  };
  let made = 0;
  const happen = async (seconds: number): Promise<void> => {
    const begun = performance.now();
    const pending: Promise<unknown>[] = [];
    for (let count = 0; count < RATE * seconds; count++) {
      await sleep(Math.max(0, begun + (count * 1_000) / RATE - performance.now()));
      pending.push(call('/api/environments', { name: `environment ${made++}`, organization_id: organization }));
    }
    await Promise.all(pending);
    const deadline = performance.now() + DEADLINE_MS;
    while (delays.length < RATE * seconds * LIVE && performance.now() < deadline) await sleep(50);
  };
  const begin = (): void => {
    delays = [];
    slowest.clear();
    measuredFrom = Date.now();
  };
  const rows: string[][] = [];
  const measure = async (name: string): Promise<void> => {
    await happen(5);
    begin();
    calls = 0;
    const [before, stored] = [(await server.ask('cpu')) as number, database.cpu()];
    await happen(SECONDS);
    const spent = [((await server.ask('cpu')) as number) - before, database.cpu() - stored];
    const { p50, p99 } = summarizeLatencies(delays, SECONDS);
    const busy = spent.map((ms) => `${Math.round(ms / SECONDS / 10)} %`);
    const longest = [...slowest.values()].toSorted((a, b) => b - a).slice(0, 5);
    console.log(`${name}: the slowest events took ${longest.join(', ')} ms to reach all of them`);
    rows.push([
      name,
      `${delays.length} of ${RATE * SECONDS * LIVE}`,
      p50.toFixed(0),
      p99.toFixed(0),
      String(repeated),
      String(calls),
      ...busy,
    ]);
  };
  await register(LIVE, [works.url]);
  await measure(`${LIVE} that work`);
  if (DEAD > 0) {
    await register(DEAD, dead);
    begin();
    await happen(2);
    const { p99 } = summarizeLatencies(delays, 2);
    console.log(`first events to ${DEAD} dead endpoints: p99 of the others ${p99.toFixed(0)} ms`);
    // By now each of them has failed, or waits for its time-out.
    await sleep(20_000);
    begin();
    await measure(`beside ${DEAD} that are dead`);
  }
  console.log(`\n${RATE} events/s for ${SECONDS} s; load average ${load()}\n`);
  console.log(
    table(['', 'deliveries', 'p50 ms', 'p99 ms', 'doubled', 'calls of dead ones', 'server CPU', 'database CPU'], rows),
  );
  await server.stop();
} finally {
  await database.stop();
  for (const { server } of [works, fails, hangs]) server.closeAllConnections();
  for (const { server } of [works, fails, hangs]) server.close();
}
