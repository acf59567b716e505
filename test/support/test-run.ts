import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** Names the folder of the test run to its workers. */
const VARIABLE = 'ARMATURE_TEST_RUN';

/** Ends what a run left behind when it was itself killed, once that process is gone; its arguments are the process and the run's folder. */
const WATCH = `
  const { readdirSync, rmSync } = require('node:fs');
  const [pid, folder] = process.argv.slice(1);
  const send = (to, signal) => { try { return process.kill(Number(to), signal); } catch { return false; } };
  const end = (signals) => {
    const left = readdirSync(folder + '/pids').filter((file) => signals.length > 0 && send(file, signals[0]));
    if (left.length > 0) return setTimeout(end, 2000, signals.slice(1));
    rmSync(folder, { recursive: true, force: true });
    process.exit();
  };
  const watch = setInterval(() => { if (!send(pid, 0)) { clearInterval(watch); end(['SIGQUIT', 'SIGKILL']); } }, 1000);
`;

/** What the files of a run share: made when the first of them asks, ended with the run. */
export interface SharedServer<Facts extends object> {
  facts: Facts;
  stop: () => Promise<void>;
}

export type SharedServers = Record<string, () => Promise<SharedServer<object>>>;

/**
 * Begins a test run in the process that starts the workers.
 *
 * @returns ends the run and everything in it
 */
export async function openTestRun(servers: SharedServers): Promise<() => Promise<void>> {
  const folder = makeFolder();
  const started = new Map<string, Promise<SharedServer<object>>>();
  const answer = async (socket: Socket): Promise<void> => {
    const name = String((await once(socket, 'data'))[0]);
    const server = started.get(name) ?? servers[name]?.() ?? Promise.reject(new Error(`There is no shared ${name}.`));
    started.set(name, server);
    const answer = await server.then(
      ({ facts }) => ({ facts }),
      (error: Error) => ({ error: error.message }),
    );
    socket.end(JSON.stringify(answer));
  };
  const desk = createServer((socket) => void answer(socket)).listen(join(folder, 'desk'));
  await once(desk.unref(), 'listening');
  return async () => {
    desk.close();
    for (const server of started.values()) await server.then(({ stop }) => stop()).catch(() => undefined);
    await killProcesses(readdirSync(join(folder, 'pids')).map(Number));
    rmSync(folder, { recursive: true, force: true });
  };
}

/**
 * Asks the run for one of its shared servers, from a worker; the first question starts it.
 *
 * @returns its facts, as far as JSON carries them
 * @throws what its start threw
 */
export async function askTestRun<Facts extends object>(name: string): Promise<Facts> {
  const socket = createConnection(join(testRunFolder(), 'desk'));
  socket.write(name);
  const { facts, error } = JSON.parse(await text(socket)) as { facts?: Facts; error?: string };
  if (!facts) throw new Error(error);
  return facts;
}

/** The folder of the test run; a program that is no test run gets one of its own. */
export function testRunFolder(): string {
  return process.env[VARIABLE] ?? makeFolder();
}

/** Promises that a process ends with the test run, however that ends. */
export function endWithTestRun(pid: number): void {
  writeFileSync(join(testRunFolder(), 'pids', String(pid)), '');
}

/** Kills processes and waits until they are gone, or left as zombies: a test run has nothing that is worth a farewell. */
export async function killProcesses(pids: number[]): Promise<void> {
  for (const pid of pids) send(pid, 'SIGKILL');
  for (const deadline = Date.now() + 2_000; pids.some(isAlive) && Date.now() < deadline;) await sleep(10);
  for (const pid of pids) rmSync(join(testRunFolder(), 'pids', String(pid)), { force: true });
}

export function isAlive(pid: number): boolean {
  return send(pid, 0);
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'armature-test-'));
  chmodSync(folder, 0o711); // the account that a database server runs under passes through it
  mkdirSync(join(folder, 'pids'));
  process.env[VARIABLE] = folder;
  const watch = ['--eval', WATCH, String(process.pid), folder];
  spawn(process.execPath, watch, { detached: true, stdio: 'ignore', env: {} }).unref();
  return folder;
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
