import { prepareDataDirectory } from './data-directory.js';
import { toEmbeddedPostgresError } from './embedded-postgres-error.js';
import { preparePostgresHome } from './postgres-home.js';
import { ensureDatabase, buildOwnerUrl } from './application-database.js';
import { findPostgresPrograms } from './postgres-programs.js';
import { Supervisor } from './supervisor.js';

export interface EmbeddedPostgresOptions {
  /** Folder of the installation, made if need be; the database lives in its folder `postgres`. */
  readonly dataDir: string;
  /** Called with one line for each step. */
  readonly log: (line: string) => void;
  /** Default true. False is for tests: fast, and lost with the machine (never with the process). */
  readonly durable?: boolean;
}

/** A PostgreSQL server in the data directory of the installation, shared by all processes that started it there. */
export interface EmbeddedPostgres {
  /** Signs in as the owner of the database `armature`, over a Unix socket that only this account can reach. */
  readonly url: string;
  /** Whether this start made the database. */
  readonly firstStart: boolean;
  /** Of the server as this start found or made it. */
  readonly pid: number;
  /**
   * Ends the server when no other process uses it. Other clients (a console) do not count and are
   * disconnected. Close your own pools first. A second call waits for the first.
   */
  stop: () => Promise<void>;
}

/**
 * Starts PostgreSQL from a package dependency, or joins the server that another process runs or left there. The server survives this
 * process, so that the next one can join it, and is started again when it is lost.
 *
 * @throws EmbeddedDatabaseError saying what the operator can do
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
    return { url: buildOwnerUrl(socketFolder), firstStart, pid, stop: () => supervisor?.leave() ?? Promise.resolve() };
  } catch (error) {
    await supervisor?.leave();
    throw toEmbeddedPostgresError(`Starting the embedded database in ${dataDir}`, error);
  }
}
