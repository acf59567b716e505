import type { MigrationInterface, QueryRunner } from 'typeorm';
import { SERVICE_ROLE } from '../core/database/data-source.js';

/**
 * Functions of the tables' owner that judge their caller themselves, once: under the policies of `record_total` every statement
 * would gather all organizations that the caller administers, to read one number of one of them.
 */
const FUNCTIONS: Record<string, { result: string; query: string }> = {
  'kept_total(organization uuid, kind text)': { result: 'bigint', query: 'sum(t.amount)' },
  // It is another one after each change of which records there are, and after their parts are folded. Rows are only added and removed.
  'kept_version(organization uuid, kind text)': {
    result: 'text',
    query: `md5(string_agg(t.id::text, ',' ORDER BY t.id))`,
  },
};

/** The number of records in an organization, and the version of which records these are, in one short call each; null for others than its administrators. */
export class KeptLists1764000000058 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [signature, { result, query }] of Object.entries(FUNCTIONS))
      await queryRunner.query(`
        CREATE FUNCTION ${signature} RETURNS ${result}
          LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
          DECLARE
            caller text := current_setting('armature.user', true);
          BEGIN
            IF caller IS DISTINCT FROM 'system' AND NOT EXISTS (
                SELECT FROM organization_member m JOIN organization o ON o.id = m.organization_id AND o.deleted_at IS NULL
                 WHERE m.organization_id = organization AND m.role >= 5
                   AND m.user_id = nullif(nullif(caller, ''), 'system')::uuid) THEN
              RETURN NULL;
            END IF;
            RETURN (SELECT ${query} FROM record_total t WHERE t.organization_id = organization AND t.record = kind);
          END $$;
        REVOKE ALL ON FUNCTION ${signature} FROM PUBLIC;
        GRANT EXECUTE ON FUNCTION ${signature} TO ${SERVICE_ROLE};
      `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const signature of Object.keys(FUNCTIONS)) await queryRunner.query(`DROP FUNCTION ${signature}`);
  }
}
