import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DatabaseProxy } from '../../test/support/database-proxy.js';
import { startDatabase, withClient } from '../support/database.js';
import { readMemory } from '../support/process-status.js';
import { load, table } from '../support/load.js';
import { production, signIn } from '../support/server.js';
import { resumingSubscriber, socketSubscriber } from './subscribers.js';

// Takes the database away under load, for 4, 15 and 60 seconds or those that are given, and reports the cost.
const SECONDS = process.argv.slice(2).map(Number);
const PORT = 19_482;
const URL_OF_SERVER = `http://127.0.0.1:${PORT}`;
const CALLERS = 16;

/** The ways in which a database goes: its port is closed, its packets vanish, its processes stop, its processes are killed. */
const WAYS = ['refuse', 'swallow', 'stop', 'kill'] as const;
type Way = (typeof WAYS)[number];

const database = await startDatabase();
const proxy = await DatabaseProxy.before(database.url);
const server = spawn(process.execPath, [fileURLToPath(new URL('../../../src/main.js', import.meta.url))], {
  env: { ...process.env, ...production(proxy.url, { PORT: String(PORT), LOG_LEVEL: 'warn' }) },
  stdio: ['ignore', 'ignore', process.env['BENCH_LOG'] ? 'inherit' : 'ignore'],
});
let endedBy: string | null = null;
server.once('exit', (code, signal) => (endedBy = String(code ?? signal)));
try {
  await until(() => isReady(), 120_000);
  const token = await signIn(URL_OF_SERVER);
  const { organizations } = (await (await call(token, '/api/identity/orgs')).json()) as {
    organizations: { id: string }[];
  };
  const organization = organizations[0]?.id ?? '';
  const rows: string[][] = [];
  for (const seconds of SECONDS.length > 0 ? SECONDS : [4, 15, 60])
    for (const way of WAYS) if (way !== 'kill' || seconds < 10) rows.push(await run(way, seconds, token, organization));
  const head = [
    '',
    'calls',
    'ok',
    '503',
    'other',
    'slowest s',
    'attempts',
    'back after s',
    'connections',
    'RSS MB',
    'peak',
    'events',
    'missed by socket',
    'by stream',
    'writes lost',
  ];
  console.log(`\nThe database is taken away; load average ${load()}\n\n${table(head, rows)}`);
  if (rows.some((row) => row.slice(-3).some((lost) => lost !== '0') || row[4] !== '0')) process.exitCode = 1;
} finally {
  await end(server);
  await proxy.stop();
  await database.stop();
}
console.log(`\nThe server ended with ${endedBy}.`);

async function run(way: Way, seconds: number, token: string, organization: string): Promise<string[]> {
  const [bySocket, byStream] = [
    await socketSubscriber(URL_OF_SERVER, token, organization),
    resumingSubscriber(URL_OF_SERVER, token, organization),
  ];
  const tally = { calls: 0, ok: 0, unavailable: 0, other: 0, slowest: 0, acknowledged: new Set<string>() };
  let going = true;
  const callers = Array.from({ length: CALLERS }, async (_, index) => {
    while (going) await callOnce(index % 4 === 0, token, organization, tally);
  });
  await sleep(3_000);
  const before = { rss: Math.round(readMemory(server.pid, 'VmRSS')), attempts: proxy.attempts };
  await takeAway(way);
  await sleep(seconds * 1000);
  const attempts = proxy.attempts - before.attempts;
  await giveBack(way);
  const given = performance.now();
  await until(isReady, 120_000);
  const back = (performance.now() - given) / 1000;
  await sleep(4_000);
  going = false;
  await Promise.all(callers);
  await sleep(4_000);
  for (const { stop } of [bySocket, byStream]) stop();
  const { events, names, connections } = await facts(organization);
  const missed = (numbers: number[]): string => {
    const wanted = events.filter((number) => number >= (numbers[0] ?? 0));
    return String(
      numbers.length === 0
        ? events.length
        : Number(wanted.join() !== numbers.join()) && Math.max(1, wanted.length - numbers.length),
    );
  };
  const lost = [...tally.acknowledged].filter((name) => !names.has(name)).length;
  return [
    `${way} ${seconds} s`,
    ...[tally.calls, tally.ok, tally.unavailable, tally.other].map(String),
    (tally.slowest / 1000).toFixed(1),
    String(attempts),
    back.toFixed(1),
    String(connections),
    String(before.rss),
    String(Math.round(readMemory(server.pid, 'VmHWM'))),
    `${events.length} (${bySocket.losses()} sockets lost)`,
    missed(bySocket.numbers),
    missed(byStream.numbers),
    String(lost),
  ];
}

interface Tally {
  calls: number;
  ok: number;
  unavailable: number;
  other: number;
  slowest: number;
  acknowledged: Set<string>;
}

/** One call; a write makes a workspace, whose name is noted when it was acknowledged. */
async function callOnce(isWrite: boolean, token: string, organization: string, tally: Tally): Promise<void> {
  const started = performance.now();
  const name = `of call ${tally.calls++} at ${Date.now()}`;
  const response = await (
    isWrite
      ? call(token, '/api/workspaces', { name, organization_id: organization })
      : call(token, `/api/workspaces?orgID=${organization}&pagesize=5`)
  ).catch((error: unknown) => error as Error);
  tally.slowest = Math.max(tally.slowest, performance.now() - started);
  if (response instanceof Error) {
    tally.other++;
    return;
  }
  const { code } = (await response.json()) as { code?: string };
  if (response.ok) tally.ok++;
  else if (response.status === 503 && response.headers.get('retry-after') && code) tally.unavailable++;
  else tally.other++;
  if (response.ok && isWrite) tally.acknowledged.add(name);
  if (!response.ok || isWrite) await sleep(50);
}

function call(token: string, path: string, body?: object): Promise<Response> {
  return fetch(URL_OF_SERVER + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
}

async function takeAway(way: Way): Promise<void> {
  if (way === 'refuse' || way === 'swallow') return proxy.takeAway(way);
  for (const pid of processesOfDatabase()) process.kill(pid, way === 'stop' ? 'SIGSTOP' : 'SIGKILL');
}

async function giveBack(way: Way): Promise<void> {
  if (way === 'refuse' || way === 'swallow') return proxy.giveBack();
  if (way === 'stop') for (const pid of processesOfDatabase()) process.kill(pid, 'SIGCONT');
}

/** The server of this benchmark and its backends: its process and all children of it. */
function processesOfDatabase(): number[] {
  const folder = new URL(database.url).searchParams.get('host') ?? '';
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const read = (pid: string, file: string): string => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8');
    } catch {
      return '';
    }
  };
  const main = all.filter((pid) => read(pid, 'cmdline').includes(`unix_socket_directories="${folder}"`));
  return all
    .filter((pid) => main.includes(pid) || main.includes(/\) \S+ (\d+)/.exec(read(pid, 'stat'))?.[1] ?? ''))
    .map(Number);
}

async function facts(organization: string): Promise<{ events: number[]; names: Set<string>; connections: number }> {
  return withClient(database.url, async (client) => {
    const ask = async <T extends object>(sql: string, given: unknown[] = []): Promise<T[]> =>
      (await client.query<T>(sql, given)).rows;
    const events = await ask<{ sequence: string }>(
      'SELECT sequence FROM event WHERE organization_id = $1 ORDER BY sequence',
      [organization],
    );
    const names = await ask<{ name: string }>('SELECT name FROM workspace');
    const [activity] = await ask<{ count: string }>(
      `SELECT count(*) FROM pg_stat_activity WHERE application_name IN ('armature', 'armature-listen')`,
    );
    return {
      events: events.map(({ sequence }) => Number(sequence)),
      names: new Set(names.map(({ name }) => name)),
      connections: Number(activity?.count),
    };
  });
}

async function isReady(): Promise<boolean> {
  if (endedBy) throw new Error(`the server ended by itself (${endedBy})`);
  return fetch(`${URL_OF_SERVER}/healthz/ready`).then(
    ({ status }) => status === 200,
    () => false,
  );
}

async function until(holds: () => Promise<boolean>, ms: number): Promise<void> {
  for (const end = Date.now() + ms; !(await holds()); await sleep(100))
    if (Date.now() > end) throw new Error('the server did not become ready');
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
