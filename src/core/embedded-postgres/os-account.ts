import { execFile } from 'node:child_process';
import { readFileSync, type Stats } from 'node:fs';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';

const run = promisify(execFile);

/** The operating system account that runs PostgreSQL, which refuses to run as root. */
export interface OsAccount {
  /** For messages: the login name, or the uid without one. */
  readonly name: string;
  readonly uid: number;
  /** Options of a child process that runs as this account; empty when this process already does. */
  readonly identity: { uid?: number; gid?: number };
}

/**
 * Chooses the account: this process's own, or for root the owner of an existing data directory, else `postgres`,
 * else `nobody`.
 * @param existing the data directory, if there is one
 * @throws EmbeddedPostgresError for root on a machine without such an account
 */
export function chooseOsAccount(existing: Stats | undefined): OsAccount {
  const uid = process.getuid?.() ?? -1;
  const accounts = readAccounts();
  if (uid !== 0) return { name: accounts.find((a) => a.uid === uid)?.name ?? String(uid), uid, identity: {} };
  const lent =
    existing && existing.uid !== 0
      ? {
          name: accounts.find((a) => a.uid === existing.uid)?.name ?? String(existing.uid),
          uid: existing.uid,
          gid: existing.gid,
        }
      : (accounts.find((a) => a.name === 'postgres') ?? accounts.find((a) => a.name === 'nobody'));
  if (!lent) {
    throw new EmbeddedPostgresError(
      'PostgreSQL does not run as root, and this machine has neither an account postgres nor nobody.',
      'Start the server as an ordinary user, add an account (useradd postgres), or set DATABASE_URL.',
    );
  }
  return { name: lent.name, uid: lent.uid, identity: { uid: lent.uid, gid: lent.gid } };
}

/**
 * Reports whether the account has all `rights` to a folder. It runs test(1) as that account, because access depends
 * on every parent folder too.
 * @param rights letters of test(1): r to list it, w to change it, x to enter it
 */
export async function hasAccess(account: OsAccount, rights: 'x' | 'rwx', folder: string): Promise<boolean> {
  const script = [...rights].map((right) => `test -${right} "$0"`).join(' && ');
  return run('/bin/sh', ['-c', script, folder], { ...account.identity, cwd: '/' }).then(
    () => true,
    () => false,
  );
}

function readAccounts(): { name: string; uid: number; gid: number }[] {
  let lines: string[];
  try {
    lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  } catch {
    return [];
  }
  return lines.flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    return name && uid ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
}
