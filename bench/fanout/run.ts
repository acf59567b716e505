import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';
import { startDatabase } from '../support/database.js';
import { summarizeLatencies } from '../support/latencies.js';
import { load, table } from '../support/load.js';
import { readMemory } from '../support/process-status.js';
import { production, signIn, startServer } from '../support/server.js';

/** One organization followed by many sockets, while events happen at a fixed rate; BENCH_RATES sets other rates. */
const PRODUCT = import.meta.resolve('../support/product.js');
const SOCKETS = Number(process.env['BENCH_SOCKETS'] ?? 1000);
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 5);
const RATES = (process.env['BENCH_RATES'] ?? '10,100').split(',').map(Number);
/** How long to wait for messages that have not come. */
const DEADLINE_MS = 20_000;

const database = await startDatabase();
try {
  const server = await startServer(PRODUCT, production(database.url, { LIMIT_SOCKETS_PER_USER: String(SOCKETS) }));
  const token = await signIn(server.url);
  const call = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(server.url + path, { method, headers, body: body && JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  };
  const { id: organization } = await call('POST', '/api/identity/orgs', { name: 'fan-out' });
  const query = `subscription { subscribeEvents(organizationID: "${String(organization)}") { id sequence action description createdAt } }`;
  let delays: number[] = [];
  const follow = (): Promise<WebSocket> =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(
        `${server.url.replace('http', 'ws')}/api/system/graphql/query`,
        'graphql-transport-ws',
      );
      const send = (message: object): void => socket.send(JSON.stringify(message));
      socket.on('open', () => send({ type: 'connection_init', payload: { Authorization: `Bearer ${token}` } }));
      socket.on('error', reject);
      socket.on('message', (data) => {
        const text = (data as Buffer).toString();
        const created = /"createdAt":"([^"]+)"/.exec(text)?.[1];
        if (created) return void delays.push(Date.now() - Date.parse(created));
        if (text.includes('connection_ack')) {
          send({ type: 'subscribe', id: '1', payload: { query } });
          resolve(socket);
        }
      });
    });
  const before = readMemory(server.pid, 'VmRSS');
  const sockets: WebSocket[] = [];
  while (sockets.length < SOCKETS) sockets.push(...(await Promise.all(Array.from({ length: 25 }, follow))));
  await sleep(1_000);
  const each = (readMemory(server.pid, 'VmRSS') - before) / SOCKETS;

  const rows: string[][] = [];
  for (const rate of RATES) {
    delays = [];
    const writes: number[] = [];
    const cpu = (await server.ask('cpu')) as number;
    const pending: Promise<void>[] = [];
    const begun = performance.now();
    for (let count = 0; count < rate * SECONDS; count++) {
      await sleep(Math.max(0, begun + (count * 1000) / rate - performance.now()));
      const sent = performance.now();
      const body = { name: `environment ${rate} ${count}`, organization_id: organization };
      pending.push(call('POST', '/api/environments', body).then(() => void writes.push(performance.now() - sent)));
    }
    await Promise.all(pending);
    const expected = rate * SECONDS * SOCKETS;
    const deadline = performance.now() + DEADLINE_MS;
    while (delays.length < expected && performance.now() < deadline) await sleep(100);
    const spent = ((await server.ask('cpu')) as number) - cpu;
    const [messages, written] = [delays, writes].map((times) => summarizeLatencies(times, SECONDS));
    const perMessage = ((spent * 1000) / delays.length).toFixed(0);
    const times = [messages?.p50, messages?.p99, written?.p50, written?.p99].map((ms) => (ms ?? NaN).toFixed(0));
    rows.push([`${rate} events/s`, `${delays.length} of ${expected}`, ...times, perMessage]);
  }
  const head = ['', 'messages', 'p50 ms', 'p99 ms', 'write p50 ms', 'write p99 ms', 'server CPU µs a message'];
  const memory = `${Math.round(each * 1024)} kB of memory each`;
  console.log(
    `\n${SOCKETS} sockets that follow one organization, ${memory}; ${SECONDS} s a rate, load average ${load()}\n`,
  );
  console.log(table(head, rows));
  for (const socket of sockets) socket.terminate();
  await server.stop();
} finally {
  await database.stop();
}
