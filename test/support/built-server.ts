import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { SERVICE_ROLE } from '../../src/core/database/data-source.js';
import { SET_USER_SQL } from '../../src/core/database/pooled-client.js';
import { Person } from './person.js';
import { ServerProcess } from './server-process.js';
import { askTestRun, endWithTestRun, killProcesses, type SharedServer, testRunFolder } from './test-run.js';
import { until } from './until.js';

const ROOT = join(import.meta.dirname, '../..');
const DIST = join(ROOT, 'dist');
const RECORDER = join(import.meta.dirname, 'record-modules.mjs');
/** What stands beside the bundle and goes on to import it. */
const ENTRIES = ['dist/src/main.js', 'dist/src/server.js', 'dist/src/cli.js'];

/** Builds what is out of date; once a test run. */
export function build(): SharedServer<{ built: true }> {
  execFileSync(process.execPath, ['scripts/build-when-stale.mjs'], { cwd: ROOT, stdio: 'ignore' });
  return { facts: { built: true }, stop: () => Promise.resolve() };
}

/** What `npm run build` makes, in a process of its own, as its operator starts it. */
export class BuiltServer {
  private constructor(
    readonly process: ServerProcess,
    private readonly database: pg.Pool,
    private readonly modulesFile: string,
  ) {}

  static async start(
    settings: Record<string, string>,
    databaseUrl: string,
    program = ['dist/src/main.js'],
  ): Promise<BuiltServer> {
    await askTestRun('build');
    const modulesFile = join(mkdtempSync(join(testRunFolder(), 'modules-')), 'modules');
    const [path = '', ...args] = program;
    const server = await ServerProcess.start(
      { DATABASE_URL: databaseUrl, SHUTDOWN_DELAY: '0', ...settings, MODULES_FILE: modulesFile },
      [process.execPath, '--import', RECORDER, join(ROOT, path), ...args],
    );
    const { pid } = server.child;
    if (pid !== undefined) {
      endWithTestRun(pid);
      void server.exited.then(() => killProcesses([pid]));
    }
    const database = new pg.Pool({ connectionString: databaseUrl, options: `-c role=${SERVICE_ROLE}`, max: 2 });
    // As statements outside of requests are asked: in the name of the system.
    database.on('connect', (client) => void client.query(SET_USER_SQL, ['system']));
    database.on('error', () => undefined);
    const built = new BuiltServer(server, database, modulesFile);
    try {
      await built.untilReady();
      return built;
    } catch (error) {
      await built.kill();
      throw error;
    }
  }

  get baseUrl(): string {
    return this.process.baseUrl;
  }

  async signIn({ email, password }: { email: string; password: string }): Promise<Person> {
    const { status, body } = await new Person(this.baseUrl, null).post('/api/auth/login', { email, password });
    if (status !== 200) throw new Error(`signing in was answered ${status}: ${this.process.lines.join('\n')}`);
    const person = new Person(this.baseUrl, body.access_token as string, '', email);
    const profile = await person.get('/api/identity/users/profile');
    return new Person(this.baseUrl, person.token, profile.body.id as string, email);
  }

  async sql<T>(query: string, parameters: unknown[]): Promise<T[]> {
    return (await this.database.query(query, parameters)).rows as T[];
  }

  /** Ends it as its operator does. @throws Error when it ended otherwise, or had loaded a module twice */
  async stop(): Promise<void> {
    await this.database.end();
    this.process.child.kill('SIGTERM');
    const ended = await this.process.exited;
    if (ended.code !== 0) throw new Error(`the server ended with ${JSON.stringify(ended)}`);
    const twice = this.listModulesBesideBundle();
    if (twice.length > 0) throw new Error(`loaded beside the bundle: ${twice.join(', ')}`);
  }

  async kill(): Promise<void> {
    await this.database.end();
    await this.process.kill();
  }

  /** All files that its main thread has loaded, when it has ended. */
  listModules(): string[] {
    return [...new Set(readFileSync(this.modulesFile, 'utf8').split('\n'))]
      .filter((path) => path.startsWith(ROOT + sep) && path !== RECORDER)
      .map((path) => relative(ROOT, path));
  }

  /** Modules of ours, and modules that the bundle has as well, that its main thread has loaded from their own files. */
  listModulesBesideBundle(): string[] {
    const bundled = bundledModules();
    return this.listModules().filter(
      (path) => !ENTRIES.includes(path) && (bundled.has(path) || path.startsWith(join('dist', 'src', sep))),
    );
  }

  private async untilReady(): Promise<void> {
    const { child, lines } = this.process;
    await until(async () => {
      await sleep(50);
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}: ${lines.join('\n')}`);
      const answer = await fetch(`${this.baseUrl}/healthz/ready`).catch(() => null);
      await answer?.arrayBuffer();
      return answer?.ok === true;
    }, 100_000);
  }
}

/** The files that the bundle was made of. */
export function bundledModules(): Set<string> {
  const modules = JSON.parse(readFileSync(join(DIST, 'server/modules.json'), 'utf8')) as string[];
  return new Set(modules.map((path) => relative(ROOT, resolve(ROOT, path))));
}
