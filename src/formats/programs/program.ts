import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { type Isolation } from './isolation.js';
import { type ProgramRunner, type Run } from './program-runner.js';

const execute = promisify(execFile);

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
  exposed?: ((path: string) => void) | undefined;
  /** What to install and where to name it, for whoever runs the server. */
  remedy: string;
}

/** A foreign program as its engine sees it, on whatever thread that is. */
export interface Renderer {
  available(): Promise<boolean>;
  /** As ProgramRunner.run. Throws InvalidRequest `PROGRAM_MISSING` without a program. */
  run(args: readonly string[], files: ReadonlyMap<string, Uint8Array>, subject: string): Promise<Run>;
}

interface Found {
  path: string;
  isolation: Isolation;
}

/** A program of the machine: looked for until it is found, and asked once whether it runs. */
export class Program implements Renderer {
  private found: Promise<Found | undefined> | undefined;

  constructor(
    private readonly runner: ProgramRunner,
    private readonly settings: ProgramSettings,
  ) {}

  async available(): Promise<boolean> {
    return (await this.search()) !== undefined;
  }

  /** Undefined when there is none that runs; then the next one who asks looks again. */
  private async search(): Promise<Found | undefined> {
    const found = await (this.found ??= this.find());
    if (found === undefined) this.found = undefined;
    return found;
  }

  async run(args: readonly string[], files: ReadonlyMap<string, Uint8Array>, subject: string): Promise<Run> {
    const found = await this.search();
    if (found === undefined) throw this.missing(subject);
    const { path, isolation } = found;
    return this.runner.run(path, [...(this.settings.command?.(path) ?? []), ...args], files, subject, isolation);
  }

  /** A program that starts others, as the shims of version managers do, may run only without isolation. */
  private async find(): Promise<Found | undefined> {
    const { setting, names, probe } = this.settings;
    for (const name of setting === undefined ? names : [setting]) {
      const path = await locate(name);
      if (path === undefined) continue;
      const [best, ...others] = await this.runner.isolations();
      for (const isolation of best ? [best, ...others] : []) {
        const run = this.runner.run(path, probe(path), new Map(), name, isolation);
        const { status } = await run.catch(() => ({ status: -1 }));
        if (status !== 0) continue;
        if (isolation !== best) this.settings.exposed?.(path);
        return { path, isolation };
      }
    }
    return undefined;
  }

  private missing(file: string): InvalidRequest {
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
async function locate(name: string): Promise<string | undefined> {
  try {
    const { stdout } = await execute('/bin/sh', ['-c', 'command -v -- "$1"', 'sh', name]);
    const path = stdout.trim();
    return path.includes('/') ? resolve(path) : undefined;
  } catch {
    return undefined;
  }
}
