import { join } from 'node:path';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { type FairQueueBounds, tooBusy } from '../../core/workers/fair-queue.js';
import { Isolation, IsolationMissing, type IsolationMode } from './isolation.js';
import { type ApiHandler, apiSocketIn, ProgramApi } from './program-api.js';
import { KUBECONFIG_FILE, type ProcessBounds, ProgramProcess } from './program-process.js';
import { ScratchFolder } from './scratch-folder.js';
import { ConcurrencyLimiter } from '../../core/workers/concurrency-limiter.js';
import { assertOutsideTransaction } from '../../core/database/open-transaction.js';

export interface ProgramBounds extends ProcessBounds, FairQueueBounds {}

const MB = 1024 * 1024;

export const DEFAULT_PROGRAM_BOUNDS: Readonly<ProgramBounds> = {
  timeLimit: 20_000,
  memory: 1024,
  output: 20 * MB,
  size: 2,
  waiting: 50,
  waitingPerCaller: 20,
};

/** The result of a run. */
export interface ProgramResult {
  status: number | null;
  stdout: string;
  /** The beginning of standard error, without paths of this machine. */
  stderr: string;
}

/** What a program is run with. */
export interface ProgramInput {
  args: readonly string[];
  /** By path in the folder in which the program runs. */
  files?: ReadonlyMap<string, Uint8Array>;
  /** The name in faults; by default the path of the program. */
  subject?: string;
  /** The only server that the program can call, by its kubeconfig. */
  api?: ApiHandler;
}

/** Runs external programs on untrusted files: in a private folder, without the server's environment, limited in time, memory, output and number. */
export class ProgramRunner {
  private readonly bounds: ProgramBounds;
  private readonly limiter: ConcurrencyLimiter;
  private readonly running = new Set<ProgramProcess>();
  private probedIsolation: Promise<Isolation> | undefined;

  constructor(
    bounds: Partial<ProgramBounds> = {},
    private readonly mode: IsolationMode | 'off' = 'auto',
  ) {
    this.bounds = { ...DEFAULT_PROGRAM_BOUNDS, ...bounds };
    this.limiter = new ConcurrencyLimiter(this.bounds, 'rendering');
  }

  /** The available ways to run programs, best first; empty when isolation is required and does not work. */
  async isolations(): Promise<Isolation[]> {
    this.probedIsolation ??=
      this.mode === 'off'
        ? Promise.resolve(Isolation.none)
        : ScratchFolder.withFiles(new Map(), ({ root }) => Isolation.probe(root));
    // A failed probe does not show what the system supports, so the next call repeats it.
    const isolation = await this.probedIsolation.catch((error: unknown) => {
      this.probedIsolation = undefined;
      throw error;
    });
    if (this.mode === 'require') return isolation.isIsolated ? [isolation] : [];
    return isolation.isIsolated ? [isolation, Isolation.none] : [isolation];
  }

  /**
   * Runs the program at an absolute path, in the folder of the files. Returns the result, also of a failure.
   * Throws InvalidRequest `TOO_COSTLY` when it exceeds a limit, or 429 when too many runs wait or the machine is too busy for it.
   */
  run(path: string, input: ProgramInput, isolation?: Isolation): Promise<ProgramResult> {
    assertOutsideTransaction(`a program (${input.subject ?? path})`);
    return this.limiter.run(async () => {
      const [best] = isolation ? [isolation] : await this.isolations();
      if (!best) throw new IsolationMissing();
      return ScratchFolder.withFiles(input.files ?? new Map(), (folder) => {
        const start = () => this.startProcess(best, path, input, folder);
        if (!input.api) return start();
        const socket = best.isIsolated ? apiSocketIn(folder.root) : undefined;
        return ProgramApi.serve(input.api, { socket, kubeconfig: join(folder.home, KUBECONFIG_FILE) }, start);
      });
    });
  }

  /** Ends the running processes. */
  close(): void {
    for (const running of this.running) running.kill();
  }

  private async startProcess(
    isolation: Isolation,
    path: string,
    { args, subject = path, api }: ProgramInput,
    folder: ScratchFolder,
  ): Promise<ProgramResult> {
    const launch = isolation.prepareLaunch({ program: path, args, callsApi: api !== undefined }, folder.root);
    const running = new ProgramProcess(launch, folder, this.bounds);
    this.running.add(running);
    try {
      const { status, stdout: output, stderr: said, exceededBound: passed, isStarved } = await running.waitForExit();
      if (isStarved) throw tooBusy(`Rendering ${subject} takes too long on a machine this busy`);
      if (passed !== undefined) throw tooCostly(subject, passed);
      if (status !== 0) await folder.assertSpaceLeft();
      if (isolation.hasSetupFailed(status, said)) throw new Error(`A program could not be isolated: ${said}`);
      return { status, stdout: output, stderr: folder.withoutPaths(said, launch.scratch).replaceAll(path, subject) };
    } finally {
      this.running.delete(running);
    }
  }
}

function tooCostly(file: string, limit: string): InvalidRequest {
  const detail = `rendering it ${limit}`;
  const remedy = 'Check the templates for an infinite loop or recursion, or send less at once.';
  return new InvalidRequest(`${file}: ${detail}`, {
    code: 'TOO_COSTLY',
    remedy,
    errors: [{ file, detail, remedy }],
  });
}
