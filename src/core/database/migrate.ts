import { setTimeout as sleep } from 'node:timers/promises';
import {
  type DataSource,
  type Migration as PendingMigration,
  MigrationExecutor,
  type MigrationInterface,
  QueryFailedError,
  type QueryRunner,
} from 'typeorm';
import { backoff } from '../backoff.js';
import { createDataSource, type Migration, SERVICE_ROLE } from './data-source.js';
import {
  applyScripts,
  createScriptTable,
  digestOf,
  findChangedScripts,
  readAppliedDigests,
  recordDigest,
  type SchemaScript,
} from './schema-scripts.js';

/** The key of the advisory lock that serializes migrations of several replicas. */
const ADVISORY_LOCK = 4_152_771;
const ADVISORY_LOCK_PAUSE_MS = 100;
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

/** A migration that creates the schema of all earlier ones, which no longer exist. */
export interface BaselineMigration extends MigrationInterface {
  name: string;
  /** The last of the migrations that it replaces, and their number. */
  replaces: { last: string; count: number };
}

/**
 * Migrates the schema as the owner of the tables, creates the service role and grants its privileges.
 * @returns the names of the migrations that ran
 * @throws as `updateSchema`
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
    return (await updateSchema(owner)).map(({ name }) => name);
  } finally {
    await owner.destroy();
  }
}

/**
 * Runs the pending migrations, applies the scripts that have changed, and attaches the audit to new tables and columns.
 * @returns the migrations that ran
 * @throws NewerSchema
 * @throws OlderSchema
 * @throws SchemaInUse
 */
export async function updateSchema(owner: DataSource): Promise<PendingMigration[]> {
  const ran: PendingMigration[] = [];
  await changeSchema(owner, async (attempt) => {
    await runMigrations(owner, attempt > FIRST_ATTEMPTS, ran);
    await auditTables(owner);
  });
  return ran;
}

/**
 * Ensures the service role, which new tables grant privileges to, and then runs the work. Several replicas may call
 * this concurrently: one works; the others wait and find nothing to do.
 * @param work is repeated from its beginning when a table lock was not available in time
 * @throws NewerSchema
 * @throws OlderSchema
 * @throws SchemaInUse
 */
export async function changeSchema(owner: DataSource, work: (attempt: number) => Promise<void>): Promise<void> {
  const lock = owner.createQueryRunner();
  try {
    // A statement that waits for the lock has a snapshot, and an index that is built concurrently waits for all snapshots.
    while (!(await tryLock(lock))) await sleep(ADVISORY_LOCK_PAUSE_MS);
    await assertUpgradable(owner);
    await untilUnlocked(async (attempt) => {
      await createServiceRole(owner);
      await work(attempt);
    });
  } finally {
    await lock.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCK]).catch(() => undefined);
    await lock.release();
  }
}

async function tryLock(runner: QueryRunner): Promise<boolean> {
  const [{ isHeld }] = (await runner.query('SELECT pg_try_advisory_lock($1) AS "isHeld"', [ADVISORY_LOCK])) as [
    { isHeld: boolean },
  ];
  return isHeld;
}

/**
 * Runs the pending migrations in one transaction, which ends with the scripts. A migration that declares
 * `transaction = false`, such as one that builds an index concurrently, divides it.
 */
async function runMigrations(owner: DataSource, lockFirst: boolean, ran: PendingMigration[]): Promise<void> {
  const isBefore = isBeforeBaseline(owner, await listApplied(owner));
  const pending = (await new MigrationExecutor(owner).getPendingMigrations()).filter(
    ({ instance }) => !(isBefore && instance && isBaseline(instance)),
  );
  const isOutside = ({ instance }: PendingMigration): boolean => instance?.transaction === false;
  while (pending.some(isOutside)) {
    await runInTransaction(owner, pending.splice(0, pending.findIndex(isOutside)), lockFirst, ran);
    await runOutsideTransaction(owner, pending.splice(0, 1), ran);
  }
  await runInTransaction(owner, pending, lockFirst, ran, findChangedScripts);
}

async function runInTransaction(
  owner: DataSource,
  migrations: PendingMigration[],
  lockFirst: boolean,
  ran: PendingMigration[],
  findScripts: (runner: QueryRunner) => Promise<SchemaScript[]> = () => Promise.resolve([]),
): Promise<void> {
  const runner = owner.createQueryRunner();
  try {
    const scripts = await findScripts(runner);
    if (migrations.length === 0 && scripts.length === 0) return;
    await runner.startTransaction();
    if (lockFirst) await lockTables(runner);
    await adoptBaseline(owner, runner);
    await runEach(owner, runner, migrations);
    if (scripts.length > 0) await createScriptTable(runner);
    await applyScripts(runner, scripts);
    await runner.commitTransaction();
    ran.push(...migrations);
  } catch (error) {
    await runner.rollbackTransaction().catch(() => undefined);
    throw error;
  } finally {
    await runner.release();
  }
}

/** What runs without a transaction makes nobody wait while it waits for locks. */
async function runOutsideTransaction(
  owner: DataSource,
  migrations: PendingMigration[],
  ran: PendingMigration[],
): Promise<void> {
  const runner = owner.createQueryRunner();
  try {
    await runner.query('SET lock_timeout = 0');
    await runEach(owner, runner, migrations);
    ran.push(...migrations);
  } finally {
    await runner.query(`SET lock_timeout = ${SCHEMA_LOCK_TIMEOUT_MS}`).catch(() => undefined);
    await runner.release();
  }
}

async function runEach(owner: DataSource, runner: QueryRunner, migrations: PendingMigration[]): Promise<void> {
  const executor = new MigrationExecutor(owner, runner);
  for (const migration of migrations) {
    await executor.executeMigration(migration);
    owner.logger.logSchemaBuild(`Migration ${migration.name} has been executed successfully.`);
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

/** The database is neither empty nor at a migration that this version can continue from. */
export class OlderSchema extends Error {
  constructor({ last }: BaselineMigration['replaces'], newest?: string) {
    super(
      newest
        ? `The schema of the database is too old: its last migration is ${newest}, and this version upgrades from ${last} on. ` +
            `First start the version whose last migration is ${last}.`
        : `The database is not empty, and has no schema that this version can upgrade, which it does from ${last} on. ` +
            'Give the server a database of its own.',
    );
  }
}

interface AppliedMigration {
  name: string;
  timestamp: number;
}

const nameOf = (migration: MigrationInterface): string => migration.name ?? migration.constructor.name;
const isBaseline = (migration: MigrationInterface): migration is BaselineMigration => 'replaces' in migration;
const findBaseline = (dataSource: DataSource): BaselineMigration | undefined => dataSource.migrations.find(isBaseline);

async function listApplied(database: DataSource | QueryRunner): Promise<AppliedMigration[]> {
  const [found] = (await database.query(`SELECT to_regclass('migration') IS NOT NULL AS made`)) as { made: boolean }[];
  if (!found?.made) return [];
  return (await database.query(
    'SELECT name, timestamp::float8 AS timestamp FROM migration ORDER BY timestamp, id',
  )) as AppliedMigration[];
}

/** Whether exactly the migrations that the baseline replaces were applied, and perhaps later ones. */
function isBeforeBaseline(dataSource: DataSource, applied: AppliedMigration[]): boolean {
  const replaces = findBaseline(dataSource)?.replaces;
  return replaces !== undefined && applied[replaces.count - 1]?.name === replaces.last;
}

/**
 * Marks a database from before the baseline as being at it, together with the first change of the schema: until that is
 * committed, the version before goes on and can be started.
 */
async function adoptBaseline(owner: DataSource, runner: QueryRunner): Promise<void> {
  const baseline = findBaseline(owner);
  const applied = await listApplied(runner);
  if (!baseline || !isBeforeBaseline(owner, applied)) return;
  const earlier = applied.slice(0, baseline.replaces.count - 1).map(({ name }) => name);
  await runner.query('DELETE FROM migration WHERE name = ANY ($1)', [earlier]);
  await runner.query('UPDATE migration SET name = $1 WHERE name = $2', [nameOf(baseline), baseline.replaces.last]);
}

/** Whether the schema has tables of anybody but extensions. */
async function hasTables(owner: DataSource): Promise<boolean> {
  const [found] = await owner.query<{ some: boolean }[]>(`
    SELECT EXISTS (SELECT FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname <> 'migration'
      AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e')) AS some`);
  return found?.some ?? false;
}

/**
 * @throws NewerSchema when the database has migrations that the data source does not contain
 * @throws OlderSchema when it is neither empty nor at the baseline
 */
export async function assertSchemaKnown(dataSource: DataSource): Promise<void> {
  const baseline = findBaseline(dataSource);
  if (baseline && isBeforeBaseline(dataSource, await listApplied(dataSource)))
    throw new OlderSchema(baseline.replaces, baseline.replaces.last);
  await assertUpgradable(dataSource);
}

/**
 * @throws NewerSchema as `assertSchemaKnown`
 * @throws OlderSchema when the database is neither empty nor at the baseline, nor has what the baseline replaces
 */
async function assertUpgradable(dataSource: DataSource): Promise<void> {
  const applied = await listApplied(dataSource);
  const baseline = findBaseline(dataSource);
  if (baseline && applied.length === 0 && (await hasTables(dataSource))) throw new OlderSchema(baseline.replaces);
  if (applied.length === 0) return;
  const isBefore = isBeforeBaseline(dataSource, applied);
  if (baseline && !isBefore && !applied.some(({ name }) => name === nameOf(baseline)))
    throw new OlderSchema(baseline.replaces, applied.at(-1)?.name);
  const later = isBefore && baseline ? applied.slice(baseline.replaces.count) : applied;
  const { unknown } = findDifferences(dataSource, later);
  if (unknown.length > 0) throw new NewerSchema(unknown);
}

/**
 * Returns the applied migrations that the data source does not contain (`unknown`), and those of the data source
 * that were not applied (`missing`).
 */
export async function compareMigrations(dataSource: DataSource): Promise<MigrationComparison> {
  const rows: { name: string }[] = await dataSource.query('SELECT name FROM migration ORDER BY timestamp, id');
  const known = dataSource.migrations.map(nameOf).at(-1) ?? '';
  return { ...findDifferences(dataSource, rows), known, applied: rows.at(-1)?.name ?? null };
}

/** Also the last migrations that this version knows, and that were applied. */
export interface MigrationComparison {
  unknown: string[];
  missing: string[];
  known: string;
  applied: string | null;
}

function findDifferences(
  dataSource: DataSource,
  rows: readonly { name: string }[],
): { unknown: string[]; missing: string[] } {
  const applied = new Set(rows.map(({ name }) => name));
  const known = new Set(dataSource.migrations.map(nameOf));
  return {
    unknown: [...applied].filter((name) => !known.has(name)),
    missing: [...known].filter((name) => !applied.has(name)),
  };
}

/** The name under which it is recorded for what `audit_attach()` was called last. */
const AUDIT = 'audit_attach()';

/**
 * Attaches the audit to tables and columns that are new since the last call: after a migration, and after a change of the
 * function. It has a transaction of its own, so that a migration holds its locks briefly; a process that ends before it
 * leaves it to the next start.
 */
async function auditTables(owner: DataSource): Promise<void> {
  const runner = owner.createQueryRunner();
  try {
    const applied = await readAppliedDigests(runner);
    const [last] = (await runner.query('SELECT name FROM migration ORDER BY timestamp DESC, id DESC LIMIT 1')) as {
      name: string;
    }[];
    const digest = digestOf(`${last?.name} ${applied.get('functions/audit_attach.sql')}`);
    if (applied.get(AUDIT) === digest) return;
    await runner.startTransaction();
    await runner.query('SELECT audit_attach()');
    await recordDigest(runner, AUDIT, digest);
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction().catch(() => undefined);
    throw error;
  } finally {
    await runner.release();
  }
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
