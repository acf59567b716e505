import type { MigrationInterface, QueryRunner } from 'typeorm';
import { SERVICE_ROLE } from '../core/database/data-source.js';

const SYSTEM = `(SELECT current_setting('armature.user', true) = 'system')`;
const USER = `(SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)`;
const INSTALLATION_ADMIN = `(SELECT EXISTS (SELECT FROM app_user WHERE id = ${USER} AND installation_admin))`;
const ADMIN_OF = `organization_id = ANY (ARRAY(SELECT organizations_of(${USER}, 5)))`;
const NOBODY = 'false';

/** The conditions of reading and of writing besides the system, by table. */
interface Rule {
  read: string;
  write: string;
}

const REGISTRY: Rule = { read: 'true', write: INSTALLATION_ADMIN };
const OWN_CALLS = `caller = (SELECT nullif(current_setting('armature.user', true), ''))`;

const RULES: Record<string, Rule> = {
  data_key: { read: NOBODY, write: NOBODY },
  idempotency_key: { read: OWN_CALLS, write: OWN_CALLS },
  // Jobs run as the system: whoever could write them could have it do anything.
  job: {
    read: `requested_by = ${USER} OR ${ADMIN_OF} OR (organization_id IS NULL AND ${INSTALLATION_ADMIN})`,
    write: NOBODY,
  },
  registrant: REGISTRY,
  model: REGISTRY,
  component: REGISTRY,
  component_schema: REGISTRY,
  relationship: REGISTRY,
  connection_definition: REGISTRY,
  registered_package: REGISTRY,
  registry_revision: REGISTRY,
};

/** Written by migrations only. A view would be written with the rights of its owner, whom no policy applies to. */
const READ_ONLY = [
  'migration',
  'installation',
  'access_role',
  'active_organization',
  'active_workspace',
  'published_design',
];

/** Functions that policies and statements of the service call. */
const CALLED = [
  'administrators_of(uuid, uuid, integer)',
  'concerned_organization(uuid, integer)',
  'granted_resources(uuid, text)',
  'granted_resources(uuid, text, integer)',
  'organizations_of(uuid, integer)',
  'role_on(uuid, uuid, text, uuid)',
  'roles_in(uuid, uuid[])',
  'roles_of(uuid)',
  'writes_design(uuid, uuid, uuid, integer)',
];

/** Runs a statement for each trigger function of the tables; `%s` is its signature. Whoever fires a trigger need not execute its function. */
const forEachTriggerFunction = (statement: string): string => `
  DO $$ DECLARE signature regprocedure; BEGIN
    FOR signature IN SELECT oid FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prorettype = 'trigger'::regtype LOOP
      EXECUTE format('${statement}', signature);
    END LOOP;
  END $$;`;

/**
 * Every table has policies, or is not written by the service; functions are executed by nobody whom they are not granted to.
 */
export class RowSecurityOfAllTables1764000000108 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [table, { read, write }] of Object.entries(RULES))
      await queryRunner.query(`
        ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
        CREATE POLICY reading ON ${table} FOR SELECT USING (${read} OR ${SYSTEM});
        CREATE POLICY adding ON ${table} FOR INSERT WITH CHECK (${write} OR ${SYSTEM});
        CREATE POLICY changing ON ${table} FOR UPDATE USING (${read} OR ${SYSTEM}) WITH CHECK (${write} OR ${SYSTEM});
        CREATE POLICY removing ON ${table} FOR DELETE USING (${write} OR ${SYSTEM});
      `);
    await queryRunner.query(`
      REVOKE INSERT, UPDATE, DELETE ON ${READ_ONLY.join(', ')} FROM ${SERVICE_ROLE};
      REVOKE ALL ON SEQUENCE migration_id_seq FROM ${SERVICE_ROLE};
      ${forEachTriggerFunction('REVOKE ALL ON FUNCTION %s FROM PUBLIC')}
      REVOKE ALL ON FUNCTION ${CALLED.join(', ')} FROM PUBLIC;
      GRANT EXECUTE ON FUNCTION ${CALLED.join(', ')} TO ${SERVICE_ROLE};
      ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO PUBLIC;
      GRANT EXECUTE ON FUNCTION ${CALLED.join(', ')} TO PUBLIC;
      ${forEachTriggerFunction('GRANT EXECUTE ON FUNCTION %s TO PUBLIC')}
      GRANT USAGE, SELECT ON SEQUENCE migration_id_seq TO ${SERVICE_ROLE};
      GRANT INSERT, UPDATE, DELETE ON ${READ_ONLY.join(', ')} TO ${SERVICE_ROLE};
    `);
    for (const table of Object.keys(RULES)) {
      for (const policy of ['reading', 'adding', 'changing', 'removing'])
        await queryRunner.query(`DROP POLICY ${policy} ON ${table}`);
      await queryRunner.query(`ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`);
    }
  }
}
