import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { ROOT } from '../../scripts/typescript/compiler.mjs';
import type { SharedServer } from './test-run.js';
import { askTestRun, testRunFolder } from './test-run.js';

const run = promisify(execFile);

/** Bundles the command line; once a test run. */
export async function buildCommandLine(): Promise<SharedServer<{ program: string }>> {
  const program = join(mkdtempSync(join(testRunFolder(), 'cli-')), 'armature');
  await run(process.execPath, [join(ROOT, 'clients/cli/scripts/build.mjs'), program]);
  return { facts: { program }, stop: () => Promise.resolve() };
}

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

export interface CallOptions {
  input?: string;
  env?: Record<string, string>;
}

/** The program as its user has it: in a folder and with a home of its own, without a terminal. */
export class CommandLine {
  readonly configFile: string;

  private constructor(
    readonly program: string,
    /** Where it runs. */
    readonly folder: string,
    private readonly env: Record<string, string>,
  ) {
    this.configFile = join(folder, 'config', 'config.json');
  }

  static async open(env: Record<string, string> = {}): Promise<CommandLine> {
    const built = await askTestRun<{ program: string }>('command line');
    const folder = mkdtempSync(join(testRunFolder(), 'cli-user-'));
    const program = join(folder, 'armature');
    copyFileSync(built.program, program);
    return new CommandLine(program, folder, env);
  }

  start(args: string[], { env = {} }: CallOptions = {}): ChildProcess {
    return spawn(process.execPath, [this.program, ...args], {
      cwd: this.folder,
      env: {
        PATH: process.env['PATH'],
        HOME: this.folder,
        ARMATURE_CONFIG: this.configFile,
        ...this.env,
        ...env,
      },
    });
  }

  async call(args: string[], options: CallOptions = {}): Promise<Ended> {
    const child = this.start(args, options);
    child.stdin?.end(options.input ?? '');
    const { stdout, stderr } = child;
    if (!stdout || !stderr) throw new Error('the program has no output');
    const [out, err, [code]] = await Promise.all([text(stdout), text(stderr), once(child, 'exit')]);
    return { code: code as number | null, out, err };
  }

  /** What a call prints as JSON. @throws Error when it ends otherwise than expected */
  async json<T = Record<string, unknown>>(args: string[], expected = 0, options: CallOptions = {}): Promise<T> {
    const ended = await this.call([...args, '-o', 'json'], options);
    if (ended.code !== expected) throw new Error(`armature ${args.join(' ')} ended ${JSON.stringify(ended)}`);
    return JSON.parse(ended.out) as T;
  }

  async signIn(server: string, email: string, password: string, ...args: string[]): Promise<Ended> {
    const flags = ['login', server, '--email', email, '--password-stdin', ...args];
    return this.call(flags, { input: `${password}\r\n` });
  }
}
