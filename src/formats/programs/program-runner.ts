import { type ChildProcess, spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { ScratchFolder } from './scratch-folder.js';
import { Slots } from './slots.js';

export interface ProgramBounds {
  /** Milliseconds of one run. */
  timeLimit: number;
  /** Megabytes of address space, of which Go programs use about a half. */
  memory: number;
  /** Bytes of standard output. */
  output: number;
  /** Runs at the same time, and those that may wait. */
  atOnce: number;
  waiting: number;
}

const MB = 1024 * 1024;

export const defaultProgramBounds: Readonly<ProgramBounds> = {
  timeLimit: 20_000,
  memory: 1536,
  output: 20 * MB,
  atOnce: 2,
  waiting: 50,
};

/** How a run ended. */
export interface Run {
  status: number | null;
  output: string;
  /** The beginning of standard error, paths of the scratch folder taken out. */
  said: string;
}

const MOST_SAID = 64 * 1024;
/** What the Go runtime says when it cannot go on. */
const EXHAUSTED = /^(?:runtime: out of memory|fatal error: (?:out of memory|runtime: (?:cannot|out of|address)|stack overflow)|runtime: goroutine stack exceeds)/m; // prettier-ignore
/** Sets the limits that a process can be given only from inside; what a system does not know is left out. */
const BOUNDED = 'ulimit -c 0; ulimit -v "$1" 2>/dev/null; ulimit -t "$2" 2>/dev/null; shift 2; exec "$@"';

/** Runs foreign programs on foreign files: alone in a private folder, with nothing of the server's environment, bounded in time, memory, output and number. */
export class ProgramRunner {
  private readonly bounds: ProgramBounds;
  private readonly slots: Slots;
  private readonly running = new Set<ChildProcess>();

  constructor(bounds: Partial<ProgramBounds> = {}) {
    this.bounds = { ...defaultProgramBounds, ...bounds };
    this.slots = new Slots(this.bounds.atOnce, this.bounds.waiting);
  }

  /**
   * Runs the program at an absolute path, in the folder of the files. Answers how it ended, also when it failed. `subject` is what faults name.
   * Throws InvalidRequest `TOO_COSTLY` when it passed a limit, or 429 when too many runs wait.
   */
  run(
    path: string,
    args: readonly string[],
    files: ReadonlyMap<string, Uint8Array> = new Map(),
    subject = path,
  ): Promise<Run> {
    return this.slots.hold(() =>
      ScratchFolder.with(files, async (folder) => {
        const { passed, ...run } = await this.start(path, args, folder);
        if (passed !== undefined) throw tooCostly(subject, passed);
        return run;
      }),
    );
  }

  /** Ends what is running. */
  close(): void {
    for (const child of this.running) kill(child);
  }

  private async start(
    path: string,
    args: readonly string[],
    folder: ScratchFolder,
  ): Promise<Run & { passed?: string }> {
    const { memory, timeLimit, output: most } = this.bounds;
    const limits = [String(memory * 1024), String(Math.ceil((timeLimit / 1000) * 2))];
    const child = spawn('/bin/sh', ['-c', BOUNDED, 'sh', ...limits, path, ...args], {
      cwd: folder.work,
      env: environmentOf(folder),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.running.add(child);
    yieldTo(child);
    const output: Buffer[] = [];
    const said: Buffer[] = [];
    const size = { output: 0, said: 0 };
    let passed: string | undefined;
    const stop = (limit: string): void => {
      passed ??= limit;
      kill(child);
    };
    const timer = setTimeout(() => stop(`took longer than ${timeLimit} ms`), timeLimit);
    child.stdout.on('data', (chunk: Buffer) => {
      size.output += chunk.length;
      if (size.output > most) stop(`makes more than ${most} bytes of it`);
      else output.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      if (size.said < MOST_SAID) said.push(chunk);
      size.said += chunk.length;
    });
    try {
      const status = await new Promise<number | null>((resolve, reject) => {
        child.on('error', reject).on('close', resolve);
      });
      const words = Buffer.concat(said).subarray(0, MOST_SAID).toString().replaceAll(`${folder.work}/`, '');
      if (EXHAUSTED.test(words)) passed ??= `needs more than ${memory} MB of memory`;
      else if (status === null) passed ??= 'was ended by the system, which happens when time or memory run out';
      return { status, output: Buffer.concat(output).toString(), said: words, passed };
    } finally {
      clearTimeout(timer);
      this.running.delete(child);
    }
  }
}

/** Nothing of the server's own: no cluster, no plugins, no other programs, and a proxy that nobody answers in place of the network. */
function environmentOf({ home, empty, temporary }: ScratchFolder): Record<string, string> {
  const nowhere = 'http://127.0.0.1:9';
  return {
    PATH: empty,
    HOME: home,
    TMPDIR: temporary,
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
    LANG: 'C.UTF-8',
  };
}

/** Requests go before rendering. */
function yieldTo({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, 10);
  } catch {
    // It has ended already, or the system does not let us.
  }
}

/** With everything that it started: it leads a process group of its own. */
function kill({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

function tooCostly(file: string, limit: string): InvalidRequest {
  const detail = `rendering it ${limit}`;
  const remedy = 'Look for a loop or a repetition without end in the templates, or send less at once.';
  return new InvalidRequest(`${file}: ${detail}`, {
    code: 'TOO_COSTLY',
    remedy,
    errors: [{ file, detail, remedy }],
  });
}
