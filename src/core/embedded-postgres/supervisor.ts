import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { backoff } from '../backoff.js';
import { SUPERUSER } from './data-directory.js';
import { toEmbeddedPostgresError } from './embedded-postgres-error.js';
import { type PostgresHome } from './postgres-home.js';
import { findPostmaster, type LaunchedPostmaster, launchPostmaster } from './postmaster.js';
import { type PostgresPrograms } from './postgres-programs.js';

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;
/** Left of the time to stop after the server has been stopped harder. */
const RESERVE_MS = 1_000;
const CONNECT_TIMEOUT_MS = 5_000;
const INITIAL_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
const POLL_MS = 15;
const MAX_POLL_MS = 250;

/** The advisory lock that every supervisor holds shared while it runs; the one that can lock it exclusively is the last. */
const PRESENCE_LOCK = 7_310_001;

/** A running server, and a superuser session that holds this process's presence lock. */
export interface Membership {
  readonly pid: number;
  readonly socketFolder: string;
  readonly session: pg.Client;
}

/** Keeps one server running on a data directory, in coordination with the supervisors of other processes. */
export class Supervisor {
  #current?: Promise<Membership>;
  #left?: Promise<void>;

  constructor(
    private readonly home: PostgresHome,
    private readonly programs: PostgresPrograms,
    private readonly durable: boolean,
    private readonly log: (line: string) => void,
  ) {}

  /**
   * Joins the running server or starts one, and does so again whenever it is lost, until `leave`.
   * @throws EmbeddedPostgresError when it does not start
   */
  async join(): Promise<Membership> {
    this.#current = this.#joinOrLaunch();
    const membership = await this.#current;
    membership.session.once('end', () => void this.#rejoin());
    return membership;
  }

  /** Stops the server unless another supervisor is present. */
  leave(withinMs = STOP_TIMEOUT_MS): Promise<void> {
    this.#left ??= this.#leave(Math.min(withinMs - RESERVE_MS, STOP_TIMEOUT_MS));
    return this.#left;
  }

  /** Returns the process id of the server, unless another supervisor is present. */
  async findUnsharedPid(): Promise<number | undefined> {
    const membership = await this.#current?.catch(() => undefined);
    const present = await membership?.session.query(
      `SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = 0 AND objid = $1 AND granted`,
      [PRESENCE_LOCK],
    );
    return present?.rowCount === 1 ? membership?.pid : undefined;
  }

  async #joinOrLaunch(): Promise<Membership> {
    let launched: LaunchedPostmaster | undefined;
    const deadline = Date.now() + START_TIMEOUT_MS;
    for (let polls = 1; Date.now() < deadline && !this.#left; polls++) {
      await sleep(backoff(polls, POLL_MS, MAX_POLL_MS));
      const found = findPostmaster(this.home);
      const session = found?.socketFolder && (await openSession(found.socketFolder));
      if (session) {
        this.log(`The embedded database is ${launched ? 'started' : 'joined'} (process ${found.pid}).`);
        return { pid: found.pid, socketFolder: found.socketFolder, session };
      }
      if (found || (launched && !launched.hasExited())) continue;
      if (launched && !isHeldByAnother(launched)) break;
      launched = launchPostmaster(this.home, this.programs, this.durable);
    }
    if (this.#left && launched && !launched.hasExited()) this.#stopLaunched();
    throw toEmbeddedPostgresError(
      `Starting the database in ${this.home.dir}`,
      launched?.readLog() || 'It does not answer.',
    );
  }

  async #rejoin(): Promise<void> {
    if (this.#left) return;
    this.log('The embedded database was lost.');
    for (let failures = 1; ; failures++) {
      try {
        await this.join();
        return;
      } catch (error) {
        if (this.#left) return;
        this.log((error as Error).message);
        await sleep(backoff(failures, INITIAL_PAUSE_MS, MAX_PAUSE_MS), undefined, { ref: false });
        if (this.#left) return;
      }
    }
  }

  async #leave(timeoutMs: number): Promise<void> {
    const membership = await this.#current?.catch(() => undefined);
    if (!membership) return;
    const { session, pid } = membership;
    if (!(await isLast(session))) {
      await session.end();
      this.log('The embedded database keeps running because another process uses it.');
      return;
    }
    sendSignal(pid, 'SIGINT');
    if (!(await this.#hasEnded(pid, timeoutMs))) sendSignal(pid, 'SIGQUIT');
    this.log('The embedded database is stopped.');
  }

  /** Stops a server that this process started and does not use. */
  #stopLaunched(): void {
    const server = findPostmaster(this.home);
    if (server) sendSignal(server.pid, 'SIGINT');
  }

  async #hasEnded(pid: number, timeoutMs: number): Promise<boolean> {
    for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await sleep(POLL_MS)) {
      if (findPostmaster(this.home)?.pid !== pid) return true;
    }
    return false;
  }
}

/** Opens a session that holds this process's presence lock; undefined while the server starts up or shuts down. */
async function openSession(socketFolder: string): Promise<pg.Client | undefined> {
  const at = { host: socketFolder, port: 5432, user: SUPERUSER, database: 'postgres', ssl: false };
  const session = new pg.Client({
    ...at,
    application_name: 'armature supervisor',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  session.on('error', () => undefined); // `end` follows and is handled
  try {
    await session.connect();
    await session.query('SELECT pg_advisory_lock_shared($1)', [PRESENCE_LOCK]);
    return session;
  } catch {
    await session.end().catch(() => undefined);
    return undefined;
  }
}

/** Releases this process's presence. Of several that leave concurrently, exactly one gets true. */
async function isLast(session: pg.Client): Promise<boolean> {
  try {
    await session.query('SELECT pg_advisory_unlock_shared($1)', [PRESENCE_LOCK]);
    const { rows } = await session.query<{ last: boolean }>('SELECT pg_try_advisory_lock($1) AS last', [PRESENCE_LOCK]);
    return rows[0]?.last ?? false;
  } catch {
    return false; // the server is gone
  }
}

/** Sends a signal, unless the process has exited. */
function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Reports whether another process holds the data directory, or sessions of a killed server are still ending. */
function isHeldByAnother(launched: LaunchedPostmaster): boolean {
  return /already exists|still in use/.test(launched.readLog());
}
