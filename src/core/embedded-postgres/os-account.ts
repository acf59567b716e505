import { execFile } from 'node:child_process';
import { readFileSync, type Stats } from 'node:fs';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';

const run = promisify(execFile);

/** The operating system account that PostgreSQL runs under: it refuses to run as root. */
export interface OsAccount {
  /** For messages: the login name, or the number when it has none. */
  readonly name: string;
  readonly uid: number;
  /** What a child process needs to become it; empty when this process already is it. */
  readonly identity: { uid?: number; gid?: number };
}

/**
 * Root lends the server to the owner of a data directory that exists, else to the account `postgres`, else to `nobody`; anybody
 * else runs it as themselves.
 *
 * @param existing the data directory, when there is one already
 * @throws EmbeddedDatabaseError as root on a machine without any such account
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
 * Whether the account may do all of `rights` to a folder, as the operating system sees it: that depends on every folder above too.
 *
 * @param rights letters of test(1): r lists it, w changes it, x passes through it
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
