import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { type Isolation } from './isolation.js';
import { type ProgramRunner, type ProgramResult } from './program-runner.js';

const runFile = promisify(execFile);

export interface ProgramSettings {
  /** Path or name that the operator set; when it is set, nothing else is tried. */
  setting: string | undefined;
  /** Names to look for in PATH, best first. */
  names: readonly string[];
  /** Arguments with which a program that works ends well. */
  probe: (path: string) => readonly string[];
  /** The words before all other arguments, which may depend on the program that was found. */
  command?: (path: string) => readonly string[];
  /** Hears of a program that runs only without the isolation which the system has. */
  onExposed?: ((path: string) => void) | undefined;
  /** What to install and where to name it, for whoever runs the server. */
  remedy: string;
}

/** A foreign program as its engine sees it, on whatever thread that is. */
export interface ProgramRenderer {
  isAvailable(): Promise<boolean>;
  /** As ProgramRunner.run. Throws InvalidRequest `PROGRAM_MISSING` without a program. */
  run(args: readonly string[], files: ReadonlyMap<string, Uint8Array>, subject: string): Promise<ProgramResult>;
}

interface FoundProgram {
  path: string;
  isolation: Isolation;
}

/** A program of the machine: looked for until it is found, and asked once whether it runs. */
export class Program implements ProgramRenderer {
  private foundProgram: Promise<FoundProgram | undefined> | undefined;

  constructor(
    private readonly runner: ProgramRunner,
    private readonly settings: ProgramSettings,
  ) {}

  async isAvailable(): Promise<boolean> {
    return (await this.resolveProgram()) !== undefined;
  }

  /** Undefined when there is none that runs; then the next one who asks looks again. */
  private async resolveProgram(): Promise<FoundProgram | undefined> {
    const found = await (this.foundProgram ??= this.findProgram());
    if (found === undefined) this.foundProgram = undefined;
    return found;
  }

  async run(args: readonly string[], files: ReadonlyMap<string, Uint8Array>, subject: string): Promise<ProgramResult> {
    const found = await this.resolveProgram();
    if (found === undefined) throw this.missingError(subject);
    const { path, isolation } = found;
    return this.runner.run(path, [...(this.settings.command?.(path) ?? []), ...args], files, subject, isolation);
  }

  /** A program that starts others, as the shims of version managers do, may run only without isolation. */
  private async findProgram(): Promise<FoundProgram | undefined> {
    const { setting, names, probe } = this.settings;
    for (const name of setting === undefined ? names : [setting]) {
      const path = await locateProgram(name);
      if (path === undefined) continue;
      const [best, ...others] = await this.runner.isolations();
      for (const isolation of best ? [best, ...others] : []) {
        const run = this.runner.run(path, probe(path), new Map(), name, isolation);
        const { status } = await run.catch(() => ({ status: -1 }));
        if (status !== 0) continue;
        if (isolation !== best) this.settings.onExposed?.(path);
        return { path, isolation };
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

/** Asks the shell, which knows PATH and what may be executed. */
async function locateProgram(name: string): Promise<string | undefined> {
  try {
    const { stdout } = await runFile('/bin/sh', ['-c', 'command -v -- "$1"', 'sh', name]);
    const path = stdout.trim();
    return path.includes('/') ? resolve(path) : undefined;
  } catch {
    return undefined;
  }
}
