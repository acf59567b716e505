import { type ChildProcess, spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import type { ProgramLaunch } from './isolation.js';
import type { ScratchFolder } from './scratch-folder.js';
import { readdirSync, readFileSync } from 'node:fs';
import { ProcessorTimer, readProcessTime } from '../../core/processor-timer.js';

export interface ProcessBounds {
  /** The time limit of one run, in milliseconds of processor time. */
  timeLimit: number;
  /** The memory limit of a run, in megabytes. */
  memory: number;
  /** The limit of standard output, in bytes. */
  output: number;
}

/** The result of a process. */
export interface ProcessResult {
  status: number | null;
  stdout: string;
  /** The beginning of standard error. */
  stderr: string;
  /** The limit for which it was ended, as text that fits after "rendering it". */
  exceededBound?: string;
  /** Whether it was ended because the machine had too little processor time for it. */
  isStarved: boolean;
}

const MAX_STDERR_BYTES = 64 * 1024;
const MAX_PROCESSES = 32;
const USAGE_POLL_MS = 50;
/**
 * Limits that the operating system enforces between two measurements: writable memory (RLIMIT_DATA), which for Go is the memory in use.
 * Without /proc that limit may not count memory of Go and use cannot be measured; then address space is limited, of which Go reserves several times its use.
 */
const SYSTEM_LIMIT =
  readProcessUsage(process.pid) === undefined
    ? { option: '-v', factor: 6, of: 'address space' }
    : { option: '-d', factor: 2, of: 'memory' };
/** The share of its memory above which Go collects garbage rather than growing. */
const SOFT_LIMIT_FACTOR = 0.75;
/** The message of the Go runtime on a fatal memory error. */
const EXHAUSTED =
  /^(?:runtime: out of memory|fatal error: (?:out of memory|runtime: (?:cannot|out of|address)|stack overflow)|runtime: goroutine stack exceeds)/m;
/** Sets limits that a process can set only for itself; unsupported ones are skipped. */
const BOUNDED_SCRIPT = 'ulimit -c 0; ulimit "$1" "$2" 2>/dev/null; ulimit -t "$3" 2>/dev/null; shift 3; exec "$@"';
/** The exit code of a shell for a child that a signal ended. */
const SIGNAL_STATUS_BASE = 128;

/** One process of an external program, limited in time, memory, output and number of processes, and ended with all its children. */
export class ProgramProcess {
  private readonly child: ChildProcess;
  private readonly stdout: Buffer[] = [];
  private readonly stderr: Buffer[] = [];
  private exceededBound: string | undefined;
  private isStarved = false;
  /** As it was last measured. */
  private usage: ProcessUsage | undefined;
  /** The highest measured memory in megabytes. */
  private peakMemory = 0;

  constructor(
    { command, scratch, path }: ProgramLaunch,
    folder: ScratchFolder,
    private readonly bounds: ProcessBounds,
  ) {
    const { memory, timeLimit } = bounds;
    const { option, factor } = SYSTEM_LIMIT;
    const limits = [option, String(memory * factor * 1024), String(Math.ceil((timeLimit / 1000) * 2))];
    this.child = spawn('/bin/sh', ['-c', BOUNDED_SCRIPT, 'sh', ...limits, ...command], {
      cwd: folder.work,
      env: { ...buildEnvironment(scratch, memory), ...(path === undefined ? {} : { PATH: path }) },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.lowerPriority();
  }

  async waitForExit(): Promise<ProcessResult> {
    const { timeLimit } = this.bounds;
    const timer = new ProcessorTimer(
      timeLimit,
      () => this.usage?.processorMs,
      (why) => {
        this.isStarved = why === 'busy';
        this.stop(`took longer than ${timeLimit} ms`);
      },
    );
    this.checkUsage();
    timer.start();
    const watch = setInterval(() => this.checkUsage(), USAGE_POLL_MS);
    this.collect();
    try {
      const status = await new Promise<number | null>((resolve, reject) => {
        this.child.on('error', reject).on('close', resolve);
      });
      const said = Buffer.concat(this.stderr).subarray(0, MAX_STDERR_BYTES).toString();
      if (EXHAUSTED.test(said)) this.exceededBound ??= this.describeExhaustion();
      else if (status === null || status > SIGNAL_STATUS_BASE)
        this.exceededBound ??= 'was ended by the system, which happens when time or memory run out';
      const { exceededBound: passed } = this;
      return {
        status,
        stdout: Buffer.concat(this.stdout).toString(),
        stderr: said,
        ...(passed === undefined ? {} : { exceededBound: passed }),
        isStarved: this.isStarved,
      };
    } finally {
      timer.stop();
      clearInterval(watch);
    }
  }

  /** Ends it with all its children: it is the leader of a process group. */
  kill(): void {
    const { pid } = this.child;
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // It has already exited.
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

  /** Used memory is limited, not reserved memory, so it is measured from outside. */
  private checkUsage(): void {
    const usage = readProcessUsage(this.child.pid ?? 0);
    if (!usage) return;
    this.usage = usage;
    this.peakMemory = Math.max(this.peakMemory, usage.memory);
    if (usage.memory > this.bounds.memory) this.stop(`needs more than ${this.bounds.memory} MB of memory`);
    if (usage.processes > MAX_PROCESSES) this.stop(`starts more than ${MAX_PROCESSES} processes`);
  }

  /** A program that crashes has met the limit of the system, or the memory of the machine; the last measurement shows its use. */
  private describeExhaustion(): string {
    const used = `${Math.ceil(this.peakMemory)} MB were in use when it was last looked at`;
    const { factor, of } = SYSTEM_LIMIT;
    return `asks for more memory than there is, or than ${this.bounds.memory * factor} MB of ${of}; ${used}`;
  }

  private stop(limit: string): void {
    this.exceededBound ??= limit;
    this.kill();
  }

  /** Requests have priority over rendering. */
  private lowerPriority(): void {
    const { pid } = this.child;
    try {
      if (pid !== undefined) setPriority(pid, 10);
    } catch {
      // It has already exited, or the system does not allow it.
    }
  }
}

/** The name of the kubeconfig in the home folder of a program; there is none unless the program is given an API. */
export const KUBECONFIG_FILE = 'kubeconfig';

/** Nothing of the server's environment: no cluster but that of the run, no plugins, no other programs, and an unreachable proxy instead of the network. */
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
    KUBECONFIG: `${home}/${KUBECONFIG_FILE}`,
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

/** The resources of a process and all its children. */
export interface ProcessUsage {
  processes: number;
  /** Megabytes in memory and swap. */
  memory: number;
  /** Milliseconds. */
  processorMs: number;
}

/** Undefined where the system has no /proc, or the process has ended. Reparented processes are not included. */
export function readProcessUsage(root: number): ProcessUsage | undefined {
  const usage: ProcessUsage = { processes: 0, memory: 0, processorMs: 0 };
  const open = [root];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    try {
      const status = readFileSync(`/proc/${id}/status`, 'latin1');
      for (const [, kilobytes] of status.matchAll(/^Vm(?:RSS|Swap):\s+(\d+)/gm))
        usage.memory += Number(kilobytes) / 1024;
      usage.processes += 1;
      usage.processorMs += readProcessTime(`/proc/${id}`) ?? 0;
      for (const thread of readdirSync(`/proc/${id}/task`))
        for (const child of readFileSync(`/proc/${id}/task/${thread}/children`, 'latin1').split(' '))
          if (child !== '') open.push(Number(child));
    } catch {
      if (usage.processes === 0) return undefined;
    }
  }
  return usage;
}
