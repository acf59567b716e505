import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Names the folder of the test run to its workers. */
const VARIABLE = 'ARMATURE_TEST_RUN';

/** Ends what a run left behind when it was itself killed, once process $1 is gone; $2 is the folder of the run. */
const WATCH = `
  while kill -0 "$1"; do sleep 1; done
  for signal in QUIT KILL; do
    for file in "$2"/pids/*; do kill -$signal "$(basename "$file")" && left=1; done
    [ -z "$left" ] || sleep 2
  done
  rm -rf "$2"
`;

/** Makes the folder of this test run: everything that its test files share lies there, and nothing of it survives the run. */
export function openTestRun(): string {
  const folder = mkdtempSync(join(tmpdir(), 'armature-test-'));
  chmodSync(folder, 0o711); // the account that a database server runs under passes through it
  mkdirSync(join(folder, 'pids'));
  process.env[VARIABLE] = folder;
  spawn('sh', ['-c', WATCH, 'sh', String(process.pid), folder], { detached: true, stdio: 'ignore' }).unref();
  return folder;
}

/** The folder of the test run; a program that is no test run opens one of its own. */
export function testRunFolder(): string {
  return process.env[VARIABLE] ?? openTestRun();
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

/** Ends all processes of the run and removes its folder. */
export async function closeTestRun(): Promise<void> {
  const folder = process.env[VARIABLE];
  if (folder === undefined) return;
  await killProcesses(readdirSync(join(folder, 'pids')).map(Number));
  rmSync(folder, { recursive: true, force: true });
}

export function isAlive(pid: number): boolean {
  return send(pid, 0);
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
