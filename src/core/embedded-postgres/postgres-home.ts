import { createHash, randomUUID } from 'node:crypto';
import {
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { makeFolder } from '../make-folder.js';
import { type OsAccount, chooseOsAccount, hasAccess } from './os-account.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';

/** Where the embedded server lives on disk. All of it belongs to the account and is closed to everybody else. */
export interface PostgresHome {
  readonly account: OsAccount;
  /** Absolute, without symbolic links. */
  readonly dir: string;
  /** PostgreSQL's own data directory; absent before the first start. */
  readonly pgdata: string;
  readonly logFile: string;
}

/** Longest path of a Unix socket: 108 bytes on Linux, 104 on macOS, the closing zero included. */
const SOCKET_PATH_LIMIT = process.platform === 'linux' ? 107 : 103;

/**
 * Finds or makes `<dataDir>/postgres`. As root, when the account cannot get there (a project below /root, say), that name becomes a
 * symbolic link to a fresh folder in /var/lib: removing `dataDir` still resets the installation, for nothing else points there.
 *
 * @throws EmbeddedDatabaseError or the error of the file system
 */
export async function preparePostgresHome(dataDir: string): Promise<PostgresHome> {
  const wanted = join(resolve(dataDir), 'postgres');
  const found = statSync(wanted, { throwIfNoEntry: false });
  const account = chooseOsAccount(found);
  if (!found) {
    makeFolder(dirname(wanted), account.identity.uid === undefined ? 0o700 : 0o711);
    if (await hasAccess(account, 'x', dirname(wanted))) createPrivateFolder(account, wanted);
    else createLinkedFolder(account, wanted);
  }
  const dir = realpathSync(wanted);
  if (!(await hasAccess(account, 'rwx', dir))) {
    throw new EmbeddedPostgresError(
      `The account ${account.name} cannot use the data directory ${dir}.`,
      `Give it to the account (chown -R ${account.name} ${dir}), start the server as its owner, or set DATA_DIR to another folder.`,
    );
  }
  return { account, dir, pgdata: join(dir, 'data'), logFile: join(dir, 'postgres.log') };
}

/**
 * The folder of the Unix socket, private to the account: in the home, or among the temporary files where that path would be too long.
 *
 * @throws EmbeddedDatabaseError when another user created a folder of that name first
 */
export function prepareSocketFolder({ account, dir }: PostgresHome): string {
  const near = join(dir, 'socket');
  const fits = Buffer.byteLength(join(near, '.s.PGSQL.5432')) <= SOCKET_PATH_LIMIT;
  const folder = fits
    ? near
    : join(tmpdir(), `armature-${createHash('sha256').update(dir).digest('hex').slice(0, 12)}`);
  createPrivateFolder(account, folder);
  const made = lstatSync(folder);
  if (!made.isDirectory() || made.uid !== account.uid || (made.mode & 0o077) !== 0) {
    throw new EmbeddedPostgresError(
      `${folder} is not a private folder of the account ${account.name}.`,
      'Remove it and start again.',
    );
  }
  return folder;
}

/** The name of a temporary folder beside `folder`; it contains the id of the process that creates it. */
export function draftPath(folder: string): string {
  return `${folder}.${process.pid}.${randomUUID().slice(0, 8)}`;
}

/**
 * Gives a finished folder its name in one step, so that nobody ever sees half of it.
 *
 * @returns false when another process was first; the draft is then removed
 */
export function renameDraft(draft: string, folder: string): boolean {
  try {
    renameSync(draft, folder);
    return true;
  } catch (error) {
    rmSync(draft, { recursive: true });
    if (['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** Makes the folder unless it is there. */
function createPrivateFolder({ identity }: OsAccount, folder: string): void {
  if (!ignoreExisting(() => mkdirSync(folder, { mode: 0o700 }))) return;
  if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid ?? -1);
}

function createLinkedFolder({ identity }: OsAccount, link: string): void {
  const folder = mkdtempSync('/var/lib/armature-');
  chownSync(folder, identity.uid ?? -1, identity.gid ?? -1);
  if (!ignoreExisting(() => symlinkSync(folder, link))) rmdirSync(folder);
}

/** Two processes may start at once; what the other one made is as good. */
function ignoreExisting(make: () => void): boolean {
  try {
    make();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
