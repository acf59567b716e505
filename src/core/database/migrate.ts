import { setTimeout as sleep } from 'node:timers/promises';
import { type DataSource, MigrationExecutor, QueryFailedError, type QueryRunner } from 'typeorm';
import { backoff } from '../backoff.js';
import { createDataSource, type Migration, SERVICE_ROLE } from './data-source.js';

/** The key of the advisory lock that lets one replica migrate while the others wait. */
const ADVISORY_LOCK = 4_152_771;
/** What a statement is refused with that has waited for a lock for `lock_timeout`. */
const LOCK_NOT_AVAILABLE = '55P03';
/** How long a change of the schema waits for a table that others use; they wait behind it for as long. */
export const SCHEMA_LOCK_TIMEOUT_MS = 250;
/** With their pauses these are some five minutes. */
const MAX_ATTEMPTS = 60;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 6_000;
/** Attempts that lock tables as they come to them. */
const FIRST_ATTEMPTS = 2;

/**
 * Brings the schema up to date as the owner of the tables, makes the service's role and gives it its rights.
 * @returns the names of the migrations that ran
 */
export async function migrate(url: string, migrations: Migration[]): Promise<string[]> {
  const owner = await createDataSource({
    url,
    migrations,
    role: 'owner',
    poolSize: 2,
    lockTimeoutMs: SCHEMA_LOCK_TIMEOUT_MS,
  }).initialize();
  try {
    const ran = await changeSchema(owner, async (attempt) => {
      const done = await runMigrations(owner, attempt > FIRST_ATTEMPTS);
      await auditTables(owner);
      return done;
    });
    return ran.map((migration) => migration.name);
  } finally {
    await owner.destroy();
  }
}

/**
 * Does the work once the service's role is there, which new tables give rights to.
 * Several replicas may call this at once: one works, the others wait and find nothing to do.
 *
 * @param work is done again, from its beginning, when a table was in use for longer than a change waits for it
 * @throws NewerSchema
 * @throws SchemaInUse
 */
export async function changeSchema<T>(owner: DataSource, work: (attempt: number) => Promise<T>): Promise<T> {
  const lock = owner.createQueryRunner();
  try {
    // Another replica may hold it for long; only replicas that start wait for this lock.
    await lock.query('SET lock_timeout = 0');
    await lock.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK]);
    await assertSchemaKnown(owner);
    return await untilUnlocked(async (attempt) => {
      await createServiceRole(owner);
      return work(attempt);
    });
  } finally {
    await lock.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCK]).catch(() => undefined);
    await lock.release();
  }
}

/** Applies the missing migrations, all of them or none. */
async function runMigrations(owner: DataSource, lockFirst: boolean): Promise<{ name: string }[]> {
  const runner = owner.createQueryRunner();
  try {
    await runner.startTransaction();
    const executor = new MigrationExecutor(owner, runner);
    if (lockFirst && (await executor.getPendingMigrations()).length > 0) await lockTables(runner);
    const ran = await executor.executePendingMigrations();
    await runner.commitTransaction();
    return ran;
  } catch (error) {
    await runner.rollbackTransaction().catch(() => undefined);
    throw error;
  } finally {
    await runner.release();
  }
}

/**
 * Locks all tables before any work is done. Under steady traffic, changes that lock one table after another wait for transactions that
 * in turn wait for them. Tables that are used most come first: transactions begin with them, and wait there while they hold nothing.
 */
async function lockTables(runner: QueryRunner): Promise<void> {
  const [{ tables }] = (await runner.query(`
    SELECT string_agg(relid::regclass::text, ', ' ORDER BY seq_scan + coalesce(idx_scan, 0) DESC) AS tables
      FROM pg_stat_user_tables JOIN pg_class ON pg_class.oid = relid AND pg_has_role(relowner, 'USAGE')
     WHERE schemaname = 'public' AND pg_class.relname <> 'migration'`)) as [{ tables: string | null }];
  if (tables) await runner.query(`LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`);
}

/** Writers are active concurrently: a statement that waits for a table lock blocks them, so each attempt waits briefly and releases its locks. */
async function untilUnlocked<T>(work: (attempt: number) => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures++)
    try {
      return await work(failures);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (failures === MAX_ATTEMPTS) throw new SchemaInUse(error);
      await sleep(backoff(failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS));
    }
}

const isLockTimeout = (error: unknown): error is QueryFailedError =>
  error instanceof QueryFailedError && (error.driverError as { code?: string }).code === LOCK_NOT_AVAILABLE;

/** A table was locked each time that the schema was to be changed. */
export class SchemaInUse extends Error {
  constructor(cause: Error) {
    super(
      'The schema could not be changed because other sessions hold locks on its tables. End long transactions ' +
        '(pg_stat_activity and pg_locks show them), and start again: the upgrade continues where it stopped.',
      { cause },
    );
  }
}

/** The schema was changed by a later version of this program, which an earlier one must not work on. */
export class NewerSchema extends Error {
  constructor(unknown: readonly string[]) {
    super(
      `The database has the schema of a later version: this one does not know ${unknown.join(', ')}. ` +
        'Start the version that made it or a later one, or restore a backup from before the upgrade.',
    );
  }
}

/** @throws NewerSchema when the database has migrations that the data source does not know */
export async function assertSchemaKnown(dataSource: DataSource): Promise<void> {
  const [found] = await dataSource.query<{ made: boolean }[]>(`SELECT to_regclass('migration') IS NOT NULL AS made`);
  if (!found?.made) return;
  const { unknown } = await compareMigrations(dataSource);
  if (unknown.length > 0) throw new NewerSchema(unknown);
}

/** The migrations that were applied and that the data source does not know, and those that it knows and were not applied. */
export async function compareMigrations(dataSource: DataSource): Promise<{ unknown: string[]; missing: string[] }> {
  const rows = await dataSource.query<{ name: string }[]>('SELECT name FROM migration ORDER BY id');
  const applied = new Set(rows.map(({ name }) => name));
  const known = new Set(dataSource.migrations.map((migration) => migration.name ?? migration.constructor.name));
  return {
    unknown: [...applied].filter((name) => !known.has(name)),
    missing: [...known].filter((name) => !applied.has(name)),
  };
}

/**
 * Tables that were made or changed since the audit was set up are audited as they are now. The comment of the function names the
 * migration that it was called after, so that a process that ends before that leaves it to the next start.
 */
async function auditTables(owner: DataSource): Promise<void> {
  const [found] = await owner.query<{ attached: string | null; last: string }[]>(`
    SELECT obj_description(oid, 'pg_proc') AS attached, (SELECT name FROM migration ORDER BY id DESC LIMIT 1) AS last
      FROM pg_proc WHERE oid = to_regproc('audit_attach')`);
  if (!found || found.attached === found.last) return;
  await owner.transaction(async (manager) => {
    await manager.query('SELECT audit_attach()');
    await manager.query(
      `DO $$ BEGIN EXECUTE format('COMMENT ON FUNCTION audit_attach() IS %L', (SELECT name FROM migration ORDER BY id DESC LIMIT 1)); END $$`,
    );
  });
}

/** Roles belong to the whole server, so another database of it may have made this one already, even just now. */
async function createServiceRole(owner: DataSource): Promise<void> {
  await owner.query(`
    DO $$ BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${SERVICE_ROLE}') THEN
        CREATE ROLE ${SERVICE_ROLE} NOLOGIN NOSUPERUSER NOBYPASSRLS;
      END IF;
      IF NOT pg_has_role(current_user, '${SERVICE_ROLE}', CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END) THEN
        EXECUTE format('GRANT ${SERVICE_ROLE} TO %I', current_user);
      END IF;
    EXCEPTION
      WHEN duplicate_object OR unique_violation THEN NULL;
      WHEN insufficient_privilege THEN
        RAISE EXCEPTION 'the database user % can neither make nor use the role ${SERVICE_ROLE}', current_user
          USING HINT = format('run as a superuser: CREATE ROLE ${SERVICE_ROLE} NOLOGIN; GRANT ${SERVICE_ROLE} TO %I;', current_user);
    END $$;
    -- Only what is missing: a change of these rights makes every session of every process plan all its statements anew.
    DO $$ BEGIN
      IF NOT has_schema_privilege('${SERVICE_ROLE}', 'public', 'USAGE') THEN
        GRANT USAGE ON SCHEMA public TO ${SERVICE_ROLE};
      END IF;
      IF (SELECT count(*) FROM pg_default_acl CROSS JOIN LATERAL aclexplode(defaclacl) AS granted
           WHERE defaclnamespace = 'public'::regnamespace AND defaclrole = current_user::regrole AND grantee = '${SERVICE_ROLE}'::regrole
             AND (defaclobjtype = 'r' AND privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
               OR defaclobjtype = 'S' AND privilege_type IN ('USAGE', 'SELECT'))) < 6 THEN
        ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${SERVICE_ROLE};
        ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO ${SERVICE_ROLE};
      END IF;
    END $$;
  `);
}
