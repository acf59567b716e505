import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../../src/main.js', import.meta.url));
const STARTED_WITHIN_MS = 300_000;

/** A whole server that is killed and started again at the same port. */
export class KilledReplica {
  kills = 0;
  /** How long each start took until it was ready, and how much processor time of that it was given, in milliseconds. */
  readonly starts: { ms: number; cpu: number }[] = [];
  /** Processor time of the processes that have ended since each was ready, in milliseconds. */
  private usedCpu = 0;
  private child?: ChildProcess;

  constructor(
    readonly port: number,
    private readonly settings: Record<string, string>,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const begun = performance.now();
    const profile = process.env['BENCH_PROFILE'];
    const options = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [];
    this.child = spawn(process.execPath, [...options, MAIN], {
      env: { ...process.env, ...this.settings, PORT: String(this.port) },
      stdio: ['ignore', 'ignore', process.env['BENCH_LOG'] ? 'inherit' : 'ignore'],
    });
    for (const end = Date.now() + STARTED_WITHIN_MS; !(await this.isReady()); await sleep(200))
      if (Date.now() > end || this.child.exitCode !== null) throw new Error(`the server at ${this.url} did not start`);
    this.starts.push({ ms: performance.now() - begun, cpu: cpuOf(this.child.pid ?? 0) });
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    this.usedCpu = this.cpu();
    child.kill(signal);
    await ended;
    if (signal === 'SIGKILL') this.kills++;
  }

  /** Processor time since it was ready, of all its processes, in milliseconds: without their starts. */
  cpu(): number {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return this.usedCpu;
    return this.usedCpu + cpuOf(child.pid ?? 0) - (this.starts.at(-1)?.cpu ?? 0);
  }

  private isReady(): Promise<boolean> {
    return fetch(`${this.url}/healthz/ready`).then(
      ({ status }) => status === 200,
      () => false,
    );
  }
}

/** Processor time of a process with all its threads (proc(5); a tick is 10 ms); NaN where the system does not report it. */
function cpuOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
      .map(Number);
    return ((fields[11] ?? NaN) + (fields[12] ?? NaN)) * 10;
  } catch {
    return NaN;
  }
}
