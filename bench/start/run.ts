import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startDatabase } from '../support/database.js';
import { readMemory, readStatus } from '../support/process-status.js';
import { load, median, table } from '../support/load.js';
import { production } from '../support/server.js';

/** What a start of the built server on a database that it knows takes, and what it holds when it has nothing to do. */
const PROGRAM = fileURLToPath(new URL('../../../src/main.js', import.meta.url));
const PORT = 19_483;
const READY = `http://127.0.0.1:${PORT}/healthz/ready`;
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
const IDLE_MS = Number(process.env['BENCH_IDLE_SECONDS'] ?? 5) * 1000;
const READY_TIMEOUT_MS = 120_000;
const EXEC_ARGV = process.argv.slice(2);

/** Of one start. Times in milliseconds, memory in megabytes. */
interface Started {
  ready: number;
  cpu: number;
  memory: number;
  peak: number;
  threads: number;
  idleCpu: number;
}

const database = await startDatabase();
try {
  const before = load();
  await startOnce(database.url);
  const starts: Started[] = [];
  for (let round = 0; round < ROUNDS; round++) starts.push(await startOnce(database.url));
  const row = (name: string, goal: string, of: (start: Started) => number): string[] => {
    const each = starts.map(of);
    return [name, String(Math.round(median(each))), each.map(Math.round).join(' / '), goal];
  };
  const rows = [
    row('until ready, ms', '3000', ({ ready }) => ready),
    row('processor time until ready, ms', '', ({ cpu }) => cpu),
    row('memory when idle, MB', '180', ({ memory }) => memory),
    row('its peak, MB', '', ({ peak }) => peak),
    row('threads when idle', '', ({ threads }) => threads),
    row('processor time of an idle second, ms', '', ({ idleCpu }) => idleCpu),
  ];
  console.log(`\nStart on an existing database; load average ${before} before, ${load()} after\n`);
  console.log(table(['', 'median', `each of ${ROUNDS}`, 'goal'], rows));
} finally {
  await database.stop();
}

async function startOnce(url: string): Promise<Started> {
  const begun = performance.now();
  const server = spawn(process.execPath, [...EXEC_ARGV, PROGRAM], {
    env: { ...process.env, ...production(url, { PORT: String(PORT), LOG_LEVEL: 'info', SHUTDOWN_DELAY: '0' }) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await untilReady(server);
    const ready = performance.now() - begun;
    const cpu = processorTime(server);
    await sleep(IDLE_MS);
    return {
      ready,
      cpu,
      memory: readMemory(server.pid, 'VmRSS'),
      peak: readMemory(server.pid, 'VmHWM'),
      threads: readStatus(server.pid, 'Threads'),
      idleCpu: (processorTime(server) - cpu) / (IDLE_MS / 1000),
    };
  } finally {
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
  }
}

async function untilReady(server: ChildProcess): Promise<void> {
  for (const deadline = performance.now() + READY_TIMEOUT_MS; performance.now() < deadline; await sleep(20)) {
    if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}`);
    const response = await fetch(READY).catch(() => null);
    await response?.arrayBuffer();
    if (response?.ok) return;
  }
  throw new Error('the server was not ready in time');
}

/** Of a line of /proc/PID/status (proc(5)); sizes are kB. */

/** Of the process and the children that it has. */
function processorTime(server: ChildProcess): number {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return children
    .map((name) => stat(name))
    .filter(({ pid, parent }) => pid === server.pid || parent === server.pid)
    .reduce((sum, { ticks }) => sum + ticks * 10, 0);
}

function stat(name: string): { pid: number; parent: number; ticks: number } {
  try {
    const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
      .map(Number);
    return { pid: Number(name), parent: fields[1] ?? 0, ticks: (fields[11] ?? 0) + (fields[12] ?? 0) };
  } catch {
    return { pid: 0, parent: 0, ticks: 0 };
  }
}
