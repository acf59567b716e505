import { spawn } from 'node:child_process';
import { closeSync, constants, fchownSync, fstatSync, openSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isProcessAlive } from '../process-alive.js';
import { type PostgresHome, prepareSocketFolder } from './postgres-home.js';
import { PROGRAM_ENV, type PostgresPrograms } from './postgres-programs.js';

/** The server process of a data directory, started by any process. */
export interface Postmaster {
  readonly pid: number;
  /** Folder of its Unix socket; undefined during start-up. */
  readonly socketFolder: string | undefined;
}

/** A server process that this process started. */
export interface LaunchedPostmaster {
  /** Reports whether it has exited: after a start, because it failed or another server holds the data directory. */
  readonly hasExited: () => boolean;
  /** Returns its log since the start. */
  readonly readLog: () => string;
}

/**
 * Finds the server that runs on the data directory by its postmaster.pid file. A file whose process id now belongs
 * to another program is removed, because PostgreSQL would take that program for a server.
 */
export function findPostmaster(home: PostgresHome): Postmaster | undefined {
  const file = join(home.pgdata, 'postmaster.pid');
  let lines: string[];
  try {
    lines = readFileSync(file, 'utf8').split('\n');
  } catch {
    return undefined;
  }
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0 || !isProcessAlive(pid)) return undefined;
  if (readProcessName(pid) === 'postgres') return { pid, socketFolder: lines[4] || undefined };
  rmSync(file, { force: true });
  return undefined;
}

/**
 * Starts the server detached from this process: it outlives it, and does not receive Ctrl-C before the application
 * has closed its connections. It logs to a file, because a pipe would break when this process ends.
 * @param durable false skips fsync, which risks the data in a crash of the machine
 */
export function launchPostmaster(
  home: PostgresHome,
  { postgres }: PostgresPrograms,
  durable: boolean,
): LaunchedPostmaster {
  const settings = {
    listen_addresses: '',
    unix_socket_directories: `"${prepareSocketFolder(home).replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    port: '5432',
    max_connections: '100',
    shared_buffers: '128MB',
    max_wal_size: '512MB',
    // Errors and statements, which contain values, are sent to the client and never logged.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  const log = openSync(
    home.logFile,
    constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW,
    0o600,
  );
  const { uid, gid } = home.account.identity;
  if (uid !== undefined) fchownSync(log, uid, gid ?? -1);
  const before = fstatSync(log).size;
  const child = spawn(
    postgres,
    ['-D', home.pgdata, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    {
      ...home.account.identity,
      env: PROGRAM_ENV,
      cwd: '/',
      detached: true,
      stdio: ['ignore', 'ignore', log],
    },
  );
  closeSync(log);
  let failure = '';
  child.once('error', (error) => (failure = error.message));
  child.unref();
  return {
    hasExited: () => failure !== '' || child.exitCode !== null || child.signalCode !== null,
    readLog: () => failure || readFileSync(home.logFile).subarray(before).toString(),
  };
}

/** Returns the program name of a process on Linux; undefined elsewhere, where every process counts as the server. */
function readProcessName(pid: number): string {
  try {
    return basename(readFileSync(`/proc/${pid}/comm`, 'utf8').trim());
  } catch {
    return 'postgres';
  }
}
