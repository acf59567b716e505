import { setTimeout as sleep } from 'node:timers/promises';
import { type DataSource, MigrationExecutor, QueryFailedError, type QueryRunner } from 'typeorm';
import { backoff } from '../backoff.js';
import { createDataSource, type Migration, SERVICE_ROLE } from './data-source.js';

/** The key of the advisory lock that serializes migrations of several replicas. */
const ADVISORY_LOCK = 4_152_771;
/** SQLSTATE of a statement that waited for a lock longer than `lock_timeout`. */
const LOCK_NOT_AVAILABLE = '55P03';
/** How long a schema change waits for a table lock; other statements queue behind it for as long. */
export const SCHEMA_LOCK_TIMEOUT_MS = 250;
/** With their pauses, about five minutes. */
const MAX_ATTEMPTS = 60;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 6_000;
/** Attempts that lock tables as needed; later ones lock all tables first. */
const FIRST_ATTEMPTS = 2;

/**
 * Migrates the schema as the owner of the tables, creates the service role and grants its privileges.
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
 * Ensures the service role, which new tables grant privileges to, and then runs the work. Several replicas may call
 * this concurrently: one works; the others wait and find nothing to do.
 * @param work is repeated from its beginning when a table lock was not available in time
 * @throws NewerSchema
 * @throws SchemaInUse
 */
export async function changeSchema<T>(owner: DataSource, work: (attempt: number) => Promise<T>): Promise<T> {
  const lock = owner.createQueryRunner();
  try {
    // Another replica may hold this lock for long; only starting replicas wait for it.
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

/** Runs the pending migrations in one transaction. */
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
 * Locks all tables before any change. Under steady traffic, changes that lock tables one after another deadlock with
 * transactions that hold some of them. The busiest tables come first: transactions begin with them and wait there
 * while they hold no locks.
 */
async function lockTables(runner: QueryRunner): Promise<void> {
  const [{ tables }] = (await runner.query(`
    SELECT string_agg(relid::regclass::text, ', ' ORDER BY seq_scan + coalesce(idx_scan, 0) DESC) AS tables
      FROM pg_stat_user_tables JOIN pg_class ON pg_class.oid = relid AND pg_has_role(relowner, 'USAGE')
     WHERE schemaname = 'public' AND pg_class.relname <> 'migration'`)) as [{ tables: string | null }];
  if (tables) await runner.query(`LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`);
}

/** A statement that waits for a table lock blocks later writers, so each attempt waits briefly and releases its locks. */
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

/** Every attempt to change the schema timed out on a table lock. */
export class SchemaInUse extends Error {
  constructor(cause: Error) {
    super(
      'The schema could not be changed because other sessions hold locks on its tables. End long transactions ' +
        '(pg_stat_activity and pg_locks show them), and start again: the upgrade continues where it stopped.',
      { cause },
    );
  }
}

/** The schema was migrated by a later version, which this version must not use. */
export class NewerSchema extends Error {
  constructor(unknown: readonly string[]) {
    super(
      `The database has the schema of a later version: this one does not know ${unknown.join(', ')}. ` +
        'Start the version that made it or a later one, or restore a backup from before the upgrade.',
    );
  }
}

/** @throws NewerSchema when the database has migrations that the data source does not contain */
export async function assertSchemaKnown(dataSource: DataSource): Promise<void> {
  const [found] = await dataSource.query<{ made: boolean }[]>(`SELECT to_regclass('migration') IS NOT NULL AS made`);
  if (!found?.made) return;
  const { unknown } = await compareMigrations(dataSource);
  if (unknown.length > 0) throw new NewerSchema(unknown);
}

/**
 * Returns the applied migrations that the data source does not contain (`unknown`), and those of the data source
 * that were not applied (`missing`).
 */
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
 * Attaches the audit triggers to tables that were created or changed since the last call. The comment of the
 * function records the last migration at that time, so that a process that ends before this step leaves it to the
 * next start.
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

/** Roles are global to a PostgreSQL server: another database may have created this one, even concurrently. */
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
