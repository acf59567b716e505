import { InvalidRequest } from '../../core/errors/app-error.js';
import { findExecutable } from '../../core/find-executable.js';
import { type Isolation } from './isolation.js';
import { type ProgramInput, type ProgramRunner, type ProgramResult } from './program-runner.js';

export interface ProgramSettings {
  /** The configured path or name; when it is set, nothing else is tried. */
  setting: string | undefined;
  /** Names to look for in PATH, best first. */
  names: readonly string[];
  /** Arguments with which a working program exits successfully. */
  probe: (path: string) => readonly string[];
  /** The first arguments, which may depend on the program that was found. */
  command?: (path: string) => readonly string[];
  /** Called for a program that runs only without the isolation that the system supports. */
  onExposed?: ((path: string) => void) | undefined;
  /** What to install and how to configure it, for the operator of the server. */
  remedy: string;
}

/** An external program for its engine, on any thread. */
export interface ProgramRenderer {
  /** What the program says of its version; undefined when there is no working program. */
  findVersion(): Promise<string | undefined>;
  /** As ProgramRunner.run. Throws InvalidRequest `PROGRAM_MISSING` without a program. */
  run(input: RenderInput): Promise<ProgramResult>;
}

export type RenderInput = ProgramInput & { subject: string };

interface FoundProgram {
  path: string;
  version: string;
  isolation: Isolation;
}

/** A program of the machine: looked up until it is found, and tested once. */
export class Program implements ProgramRenderer {
  private foundProgram: Promise<FoundProgram | undefined> | undefined;

  constructor(
    private readonly runner: ProgramRunner,
    private readonly settings: ProgramSettings,
  ) {}

  async findVersion(): Promise<string | undefined> {
    return (await this.resolveProgram())?.version;
  }

  /** The program; undefined when none works, in which case the next call looks again. */
  private async resolveProgram(): Promise<FoundProgram | undefined> {
    const found = await (this.foundProgram ??= this.findProgram());
    if (found === undefined) this.foundProgram = undefined;
    return found;
  }

  async run(input: RenderInput): Promise<ProgramResult> {
    const found = await this.resolveProgram();
    if (found === undefined) throw this.missingError(input.subject);
    const { path, isolation } = found;
    const args = [...(this.settings.command?.(path) ?? []), ...input.args];
    return this.runner.run(path, { ...input, args }, isolation);
  }

  /** A program that starts others, such as the shims of version managers, may run only without isolation. */
  private async findProgram(): Promise<FoundProgram | undefined> {
    const { setting, names, probe } = this.settings;
    for (const name of setting === undefined ? names : [setting]) {
      const path = findExecutable(name);
      if (path === undefined) continue;
      const [best, ...others] = await this.runner.isolations();
      for (const isolation of best ? [best, ...others] : []) {
        const run = this.runner.run(path, { args: probe(path), subject: name }, isolation);
        const { status, stdout } = await run.catch(() => ({ status: -1, stdout: '' }));
        if (status !== 0) continue;
        if (isolation !== best) this.settings.onExposed?.(path);
        return { path, isolation, version: stdout.trim() };
      }
    }
    return undefined;
  }

  private missingError(file: string): InvalidRequest {
    const { names, remedy } = this.settings;
    const detail = `is rendered by ${names.join(' or ')}, which this server does not have`;
    return new InvalidRequest(`${file} ${detail}`, {
      code: 'PROGRAM_MISSING',
      remedy,
      errors: [{ file, detail, remedy }],
    });
  }
}
