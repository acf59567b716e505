import { execFile } from 'node:child_process';
import { cpSync, existsSync, lchownSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { type OsAccount } from './os-account.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { draftPath, type PostgresHome, renameDraft } from './postgres-home.js';

const run = promisify(execFile);
const resolvePackage = createRequire(import.meta.url).resolve;

const FALLBACK_REMEDY = 'Set DATABASE_URL to a PostgreSQL server, version 15 or later.';

/** Absolute paths of PostgreSQL's programs, which the account can run. */
export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
  /** The major version, such as `18`; a data directory belongs to one. */
  readonly major: string;
}

/** The libc locale. Sorting and case use PostgreSQL's `builtin` provider, which is the same on every machine. */
export const LIBC_LOCALE = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';

/** The environment of the programs. It excludes that of this process, which holds secrets and may hold settings of PostgreSQL. */
export const PROGRAM_ENV = { PATH: '/usr/bin:/bin', LC_ALL: LIBC_LOCALE, LC_MESSAGES: 'C', TZ: 'UTC' };

/**
 * Finds the programs in the package for this platform. They are copied into the home when the account cannot run
 * them in place, or when links to their libraries are missing (installed with --ignore-scripts) in a read-only
 * folder.
 * @throws EmbeddedPostgresError when no package supports this machine
 * @throws the error of the file system
 */
export async function findPostgresPrograms({ account, dir }: PostgresHome): Promise<PostgresPrograms> {
  const installed = locatePackage();
  const major = installed.version.split('.')[0] ?? '';
  linkLibraries(installed.root);
  if (!(await findRunError(account, installed.root))) return { ...programPaths(installed.root), major };
  const copy = join(dir, `postgresql-${installed.version}`);
  if (!existsSync(copy)) copyPackage(installed.root, copy, account);
  const refused = await findRunError(account, copy);
  if (!refused) return { ...programPaths(copy), major };
  throw new EmbeddedPostgresError(
    `The embedded PostgreSQL does not run on this machine (it needs glibc, which Alpine Linux does not have): ${refused.message.trim()}.`,
    FALLBACK_REMEDY,
    { cause: refused },
  );
}

function locatePackage(): { root: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const root = join(dirname(resolvePackage(name)), '..');
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    return { root, version };
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL is not installed: ${name}, an optional dependency, which exists for Linux with glibc and for macOS.`,
      `${FALLBACK_REMEDY} Or install it: npm ci without --omit=optional.`,
      { cause: error },
    );
  }
}

function programPaths(root: string): Pick<PostgresPrograms, 'initdb' | 'postgres'> {
  return { initdb: join(root, 'native', 'bin', 'initdb'), postgres: join(root, 'native', 'bin', 'postgres') };
}

/** Returns the error of running the programs as the account. */
function findRunError(account: OsAccount, root: string): Promise<Error | undefined> {
  const { postgres, initdb } = programPaths(root);
  const options = { ...account.identity, env: PROGRAM_ENV, cwd: '/' };
  return Promise.all([run(postgres, ['-V'], options), run(initdb, ['-V'], options)]).then(
    () => undefined,
    (error: unknown) => error as Error,
  );
}

/** Creates the links that the package's install script creates, where the folder is writable. */
function linkLibraries(root: string): void {
  const links = JSON.parse(readFileSync(join(root, 'native', 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(root, target);
    try {
      if (!existsSync(link)) symlinkSync(relative(dirname(link), join(root, source)), link);
    } catch {
      // Running the programs shows whether a missing link matters.
    }
  }
}

function copyPackage(root: string, copy: string, { identity }: OsAccount): void {
  const draft = draftPath(copy);
  mkdirSync(draft);
  cpSync(join(root, 'native'), join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
  linkLibraries(draft);
  if (identity.uid !== undefined) {
    const files = readdirSync(draft, { recursive: true, encoding: 'utf8' });
    for (const file of ['', ...files]) lchownSync(join(draft, file), identity.uid, identity.gid ?? -1);
  }
  renameDraft(draft, copy);
}
