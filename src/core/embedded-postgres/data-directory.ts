import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isProcessAlive } from '../process-alive.js';
import { toEmbeddedPostgresError, EmbeddedPostgresError } from './embedded-postgres-error.js';
import { draftPath, type PostgresHome, renameDraft } from './postgres-home.js';
import { LIBC_LOCALE, PROGRAM_ENV, type PostgresPrograms } from './postgres-programs.js';

const run = promisify(execFile);

/** The superuser of the PostgreSQL cluster. Only the supervisor signs in as it; the application is the owner of its database. */
export const SUPERUSER = 'armature_supervisor';

/**
 * Creates PostgreSQL's data directory unless it exists. It is created under a temporary name and renamed, so that
 * neither a crash nor a concurrent process leaves or sees a partial one.
 * @param durable false skips fsync
 * @throws EmbeddedPostgresError when it cannot be created, or belongs to another major version
 */
export async function prepareDataDirectory(
  home: PostgresHome,
  programs: PostgresPrograms,
  durable: boolean,
): Promise<void> {
  const versionFile = join(home.pgdata, 'PG_VERSION');
  if (!existsSync(versionFile)) await initializeDataDirectory(home, programs, durable);
  const made = existsSync(versionFile) ? readFileSync(versionFile, 'utf8').trim() : 'something else';
  if (made === programs.major) return;
  throw new EmbeddedPostgresError(
    `${home.pgdata} was made by PostgreSQL ${made}, and this is PostgreSQL ${programs.major}.`,
    `Migrate its content with pg_dump of version ${made} and pg_restore, or set DATA_DIR to another folder.`,
  );
}

async function initializeDataDirectory(
  home: PostgresHome,
  { initdb }: PostgresPrograms,
  durable: boolean,
): Promise<void> {
  removeAbandoned(home);
  const draft = draftPath(home.pgdata);
  const options = [
    ...[
      '-D',
      draft,
      '-U',
      SUPERUSER,
      '--auth-local=trust',
      '--auth-host=reject',
      '--no-instructions',
      '--encoding=UTF8',
    ],
    ...[
      `--locale=${LIBC_LOCALE}`,
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      ...(durable ? [] : ['--no-sync']),
    ],
  ];
  try {
    await run(initdb, options, { ...home.account.identity, env: PROGRAM_ENV, cwd: '/' });
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw toEmbeddedPostgresError(`Creating the database in ${home.dir}`, error);
  }
  renameDraft(draft, home.pgdata);
}

/** Removes incomplete data directories of processes that died. */
function removeAbandoned(home: PostgresHome): void {
  for (const name of readdirSync(home.dir)) {
    const maker = /^data\.(\d+)\./.exec(name)?.[1];
    if (maker !== undefined && !isProcessAlive(Number(maker)))
      rmSync(join(home.dir, name), { recursive: true, force: true });
  }
}
