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

/** The folder of the embedded server. Everything in it belongs to the account and is inaccessible to others. */
export interface PostgresHome {
  readonly account: OsAccount;
  /** Absolute, without symbolic links. */
  readonly dir: string;
  /** PostgreSQL's data directory; absent before the first start. */
  readonly pgdata: string;
  readonly logFile: string;
}

/** The longest path of a Unix socket: 108 bytes on Linux, 104 on macOS, including the terminating zero. */
const SOCKET_PATH_LIMIT = process.platform === 'linux' ? 107 : 103;

/**
 * Ensures `<dataDir>/postgres`. For root, when the account cannot access that folder (for instance below /root), it
 * becomes a symbolic link to a new folder in /var/lib; removing `dataDir` still resets the installation.
 * @throws EmbeddedPostgresError or the error of the file system
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
 * Ensures the folder of the Unix socket, private to the account: in the home, or in the temporary folder when that
 * path would be too long.
 * @throws EmbeddedPostgresError when another user created a folder of that name
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

/** Returns a temporary name beside `folder` that contains the id of this process. */
export function draftPath(folder: string): string {
  return `${folder}.${process.pid}.${randomUUID().slice(0, 8)}`;
}

/**
 * Renames a complete folder to its final name atomically, so that no process sees a partial one.
 * @returns false when another process did so first; the draft is then removed
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

/** Creates the folder unless it exists. */
function createPrivateFolder({ identity }: OsAccount, folder: string): void {
  if (!ignoreExisting(() => mkdirSync(folder, { mode: 0o700 }))) return;
  if (identity.uid !== undefined) chownSync(folder, identity.uid, identity.gid ?? -1);
}

function createLinkedFolder({ identity }: OsAccount, link: string): void {
  const folder = mkdtempSync('/var/lib/armature-');
  chownSync(folder, identity.uid ?? -1, identity.gid ?? -1);
  if (!ignoreExisting(() => symlinkSync(folder, link))) rmdirSync(folder);
}

/** Ignores EEXIST: a process that starts concurrently may have created the same. */
function ignoreExisting(make: () => void): boolean {
  try {
    make();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
