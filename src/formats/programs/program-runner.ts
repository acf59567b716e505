import { InvalidRequest } from '../../core/errors/app-error.js';
import { type FairQueueBounds, tooBusy } from '../../core/workers/fair-queue.js';
import { Isolation, IsolationMissing, type IsolationMode } from './isolation.js';
import { type ProcessBounds, ProgramProcess } from './program-process.js';
import { ScratchFolder } from './scratch-folder.js';
import { ConcurrencyLimiter } from './concurrency-limiter.js';
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
    this.limiter = new ConcurrencyLimiter(this.bounds);
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
   * Runs the program at an absolute path, in the folder of the files. Returns the result, also of a failure. `subject` is the name in faults.
   * Throws InvalidRequest `TOO_COSTLY` when it exceeds a limit, or 429 when too many runs wait or the machine is too busy for it.
   */
  run(
    path: string,
    args: readonly string[],
    files: ReadonlyMap<string, Uint8Array> = new Map(),
    subject = path,
    isolation?: Isolation,
  ): Promise<ProgramResult> {
    assertOutsideTransaction(`a program (${subject})`);
    return this.limiter.run(async () => {
      const [best] = isolation ? [isolation] : await this.isolations();
      if (!best) throw new IsolationMissing();
      return ScratchFolder.withFiles(files, (folder) => this.startProcess(best, path, args, folder, subject));
    });
  }

  /** Ends the running processes. */
  close(): void {
    for (const running of this.running) running.kill();
  }

  private async startProcess(
    isolation: Isolation,
    path: string,
    args: readonly string[],
    folder: ScratchFolder,
    subject: string,
  ): Promise<ProgramResult> {
    const launch = isolation.prepareLaunch(path, args, folder.root);
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
