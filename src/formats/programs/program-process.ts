import { type ChildProcess, spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { type ProgramLaunch } from './isolation.js';
import { readProcessUsage } from './process-usage.js';
import { type ScratchFolder } from './scratch-folder.js';

export interface ProcessBounds {
  /** Milliseconds of one run. */
  timeLimit: number;
  /** Megabytes that a run may use at one time. */
  memory: number;
  /** Bytes of standard output. */
  output: number;
}

/** How a process ended. */
export interface ProcessResult {
  status: number | null;
  stdout: string;
  /** The beginning of standard error. */
  stderr: string;
  /** The bound for which it was ended, in words that fit after "rendering it". */
  exceededBound?: string;
}

const MAX_STDERR_BYTES = 64 * 1024;
const MAX_PROCESSES = 32;
const USAGE_POLL_MS = 50;
/** Go reserves several times the address space that it uses; this bound is for systems on which use cannot be seen, and for leaps between two looks. */
const ADDRESS_SPACE_FACTOR = 6;
/** Of its memory, from which on Go collects garbage rather than growing. */
const SOFT_LIMIT_FACTOR = 0.75;
/** What the Go runtime says when it cannot go on. */
const EXHAUSTED = /^(?:runtime: out of memory|fatal error: (?:out of memory|runtime: (?:cannot|out of|address)|stack overflow)|runtime: goroutine stack exceeds)/m; // prettier-ignore
/** Sets the limits that a process can be given only from inside; what a system does not know is left out. */
const BOUNDED_SCRIPT = 'ulimit -c 0; ulimit -v "$1" 2>/dev/null; ulimit -t "$2" 2>/dev/null; shift 2; exec "$@"';
/** What a shell exits with for a child that a signal ended. */
const SIGNAL_STATUS_BASE = 128;

/** One process of a foreign program, bounded in time, memory, output and number of processes, which ends with all that it started. */
export class ProgramProcess {
  private readonly child: ChildProcess;
  private readonly stdout: Buffer[] = [];
  private readonly stderr: Buffer[] = [];
  private exceededBound: string | undefined;

  constructor(
    { command, scratch, path }: ProgramLaunch,
    folder: ScratchFolder,
    private readonly bounds: ProcessBounds,
  ) {
    const { memory, timeLimit } = bounds;
    const limits = [String(memory * ADDRESS_SPACE_FACTOR * 1024), String(Math.ceil((timeLimit / 1000) * 2))];
    this.child = spawn('/bin/sh', ['-c', BOUNDED_SCRIPT, 'sh', ...limits, ...command], {
      cwd: folder.work,
      env: { ...buildEnvironment(scratch, memory), ...(path === undefined ? {} : { PATH: path }) },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.lowerPriority();
  }

  async waitForExit(): Promise<ProcessResult> {
    const { timeLimit, memory } = this.bounds;
    const timer = setTimeout(() => this.stop(`took longer than ${timeLimit} ms`), timeLimit);
    const watch = setInterval(() => this.checkUsage(), USAGE_POLL_MS);
    this.collect();
    try {
      const status = await new Promise<number | null>((resolve, reject) => {
        this.child.on('error', reject).on('close', resolve);
      });
      const said = Buffer.concat(this.stderr).subarray(0, MAX_STDERR_BYTES).toString();
      if (EXHAUSTED.test(said)) this.exceededBound ??= `needs more than ${memory} MB of memory`;
      else if (status === null || status > SIGNAL_STATUS_BASE)
        this.exceededBound ??= 'was ended by the system, which happens when time or memory run out';
      const { exceededBound: passed } = this;
      return {
        status,
        stdout: Buffer.concat(this.stdout).toString(),
        stderr: said,
        ...(passed === undefined ? {} : { exceededBound: passed }),
      };
    } finally {
      clearTimeout(timer);
      clearInterval(watch);
    }
  }

  /** Ends it with everything that it started: it leads a process group of its own. */
  kill(): void {
    const { pid } = this.child;
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }

  private collect(): void {
    const { output: most } = this.bounds;
    let [size, words] = [0, 0];
    this.child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > most) this.stop(`makes more than ${most} bytes of it`);
      else this.stdout.push(chunk);
    });
    this.child.stderr?.on('data', (chunk: Buffer) => {
      if (words < MAX_STDERR_BYTES) this.stderr.push(chunk);
      words += chunk.length;
    });
  }

  /** Memory is what is used, not what is reserved, so it is looked at from outside. */
  private checkUsage(): void {
    const usage = readProcessUsage(this.child.pid ?? 0);
    if (!usage) return;
    if (usage.memory > this.bounds.memory) this.stop(`needs more than ${this.bounds.memory} MB of memory`);
    if (usage.processes > MAX_PROCESSES) this.stop(`starts more than ${MAX_PROCESSES} processes`);
  }

  private stop(limit: string): void {
    this.exceededBound ??= limit;
    this.kill();
  }

  /** Requests go before rendering. */
  private lowerPriority(): void {
    const { pid } = this.child;
    try {
      if (pid !== undefined) setPriority(pid, 10);
    } catch {
      // It has ended already, or the system does not allow it.
    }
  }
}

/** Nothing of the server's own: no cluster, no plugins, no other programs, and a proxy that nobody answers in place of the network. */
function buildEnvironment(scratch: string, memory: number): Record<string, string> {
  const nowhere = 'http://127.0.0.1:9';
  const home = `${scratch}/home`;
  const empty = `${scratch}/empty`;
  return {
    PATH: empty,
    HOME: home,
    TMPDIR: `${scratch}/tmp`,
    XDG_CACHE_HOME: home,
    XDG_CONFIG_HOME: home,
    XDG_DATA_HOME: home,
    HELM_CACHE_HOME: home,
    HELM_CONFIG_HOME: home,
    HELM_DATA_HOME: home,
    HELM_PLUGINS: empty,
    KUSTOMIZE_PLUGIN_HOME: empty,
    KUBECONFIG: `${home}/none`,
    KUBERC: 'off',
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    NO_PROXY: '',
    GOTRACEBACK: 'none',
    GOMAXPROCS: '2',
    GOMEMLIMIT: `${Math.floor(memory * SOFT_LIMIT_FACTOR)}MiB`,
    LANG: 'C.UTF-8',
  };
}
