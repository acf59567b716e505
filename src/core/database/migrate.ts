import type { DataSource } from 'typeorm';
import { createDataSource, type Migration, SERVICE_ROLE } from './data-source.js';

/** The key of the advisory lock that lets one replica migrate while the others wait. */
const ADVISORY_LOCK = 4_152_771;

/**
 * Brings the schema up to date as the owner of the tables, makes the service's role and gives it its rights.
 * @returns the names of the migrations that ran
 */
export async function migrate(url: string, migrations: Migration[]): Promise<string[]> {
  const owner = await createDataSource({ url, migrations, role: 'owner', poolSize: 2 }).initialize();
  try {
    const ran = await changeSchema(owner, async () => {
      const done = await owner.runMigrations();
      if (done.length > 0) await auditTables(owner);
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
 * @throws NewerSchema
 */
export async function changeSchema<T>(owner: DataSource, work: () => Promise<T>): Promise<T> {
  const lock = owner.createQueryRunner();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK]);
    await assertSchemaKnown(owner);
    await createServiceRole(owner);
    return await work();
  } finally {
    await lock.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCK]).catch(() => undefined);
    await lock.release();
  }
}

/** The schema was changed by a later version of this program, which an earlier one must not work on. */
export class NewerSchema extends Error {
  constructor(unknown: readonly string[]) {
    super(
      `The database has the schema of a later version: this one does not know ${unknown.join(', ')}. ` +
        'Start the version that made it or a later one, or restore a backup of before.',
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

/** Tables that were made or changed since the audit was set up are audited as they are now. */
async function auditTables(owner: DataSource): Promise<void> {
  const [found] = await owner.query<{ made: boolean }[]>(`SELECT to_regproc('audit_attach') IS NOT NULL AS made`);
  if (found?.made) await owner.query('SELECT audit_attach()');
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
