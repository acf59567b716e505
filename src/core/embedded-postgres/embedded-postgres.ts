import { prepareDataDirectory } from './data-directory.js';
import { toEmbeddedPostgresError } from './embedded-postgres-error.js';
import { preparePostgresHome } from './postgres-home.js';
import { ensureDatabase, buildOwnerUrl } from './application-database.js';
import { findPostgresPrograms } from './postgres-programs.js';
import { Supervisor } from './supervisor.js';

export interface EmbeddedPostgresOptions {
  /** Folder of the installation, created when missing; the database is in its subfolder `postgres`. */
  readonly dataDir: string;
  /** Receives one line per step. */
  readonly log: (line: string) => void;
  /** Default true. False is for tests: faster; data survive a crash of the process but not of the machine. */
  readonly durable?: boolean;
}

/** A PostgreSQL server in the data directory of the installation, shared by all processes that use that directory. */
export interface EmbeddedPostgres {
  /** The URL of the database `armature` for its owner, over a Unix socket that only this account can access. */
  readonly url: string;
  /** Whether this start created the database. */
  readonly firstStart: boolean;
  /** The process id of the server at this start. */
  readonly pid: number;
  /**
   * Stops the server unless another process of the installation uses it. Other clients, such as psql, are
   * disconnected. Close pools first. A second call awaits the first.
   *
   * @param withinMs when it is stopped harder, at most 10 s
   */
  stop: (withinMs?: number) => Promise<void>;
  /** Returns the process id of the server, unless another process of the installation uses it. */
  findUnsharedPid: () => Promise<number | undefined>;
}

/**
 * Starts PostgreSQL from a package dependency, or joins the server that another process started. The server outlives
 * this process, so that the next one can join it; when it ends unexpectedly, it is started again.
 * @throws EmbeddedPostgresError with a remedy for the operator
 */
export async function startEmbeddedPostgres({
  dataDir,
  log,
  durable = true,
}: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  let supervisor: Supervisor | undefined;
  try {
    const home = await preparePostgresHome(dataDir);
    const programs = await findPostgresPrograms(home);
    await prepareDataDirectory(home, programs, durable);
    supervisor = new Supervisor(home, programs, durable, log);
    const { pid, socketFolder, session } = await supervisor.join();
    const firstStart = await ensureDatabase(session);
    const joined = supervisor;
    return {
      url: buildOwnerUrl(socketFolder),
      firstStart,
      pid,
      stop: (withinMs) => joined.leave(withinMs),
      findUnsharedPid: () => joined.findUnsharedPid(),
    };
  } catch (error) {
    await supervisor?.leave();
    throw toEmbeddedPostgresError(`Starting the embedded database in ${dataDir}`, error);
  }
}
