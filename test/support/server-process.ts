import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from './free-port.js';
import { compiledProgram } from './programs.js';
import { testRunFolder } from './test-run.js';
import { until } from './until.js';

const ROOT = join(import.meta.dirname, '../..');

/** Of a server as in production, but for its database. */
const SETTINGS = {
  PATH: process.env['PATH'] ?? '',
  NODE_ENV: 'production',
  RATE_LIMIT: 'off',
  JWT_SECRET: '5f2b8c1e9a4d7036e8c1b5a29f0d4e7386b2c9d1a7e5f430',
  ENCRYPTION_KEY: '8f3c1d9be2a7604f5b18c6d37e90a2f4516bd8c07f3e29a4b6d10c8e57f2934a',
};

/** A whole server in a process of its own, as its operator starts it. */
export class ServerProcess {
  /** What it has written, on standard output and standard error. */
  readonly lines: string[] = [];
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;

  private constructor(
    readonly child: ChildProcess,
    readonly baseUrl: string,
  ) {
    this.exited = once(child, 'exit').then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
    }));
    for (const stream of [child.stdout, child.stderr])
      if (stream) createInterface(stream).on('line', (line) => this.lines.push(line));
  }

  /** @param command the program and its arguments; without one, the server */
  static async start(settings: Record<string, string>, command?: string[], cwd = ROOT): Promise<ServerProcess> {
    const port = settings['PORT'] ?? String(await freePort());
    const env = { ...SETTINGS, DATA_DIR: mkdtempSync(join(testRunFolder(), 'data-')), PORT: port, ...settings };
    const [program = '', ...args] = command ?? [process.execPath, await compiledProgram('src/main.ts')];
    return new ServerProcess(spawn(program, args, { env, cwd }), `http://127.0.0.1:${port}`);
  }

  /** Waits for a line that has the text. */
  async line(text: string): Promise<string> {
    await until(() => this.lines.some((line) => line.includes(text)), 50_000);
    return this.lines.find((line) => line.includes(text)) ?? '';
  }

  /** What the first line that has the text says, of one JSON object a line. */
  async said(text: string): Promise<Record<string, unknown>> {
    return JSON.parse(await this.line(text)) as Record<string, unknown>;
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }
}
