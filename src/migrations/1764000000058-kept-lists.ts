import type { MigrationInterface, QueryRunner } from 'typeorm';
import { SERVICE_ROLE } from '../core/database/data-source.js';

/**
 * Functions of the owner of the tables that check their caller once. Under the policies of `record_total` each statement would collect all
 * organizations that the caller administers, to read one number of one of them.
 */
const FUNCTIONS: Record<string, { result: string; query: string }> = {
  'kept_total(organization uuid, kind text)': { result: 'bigint', query: 'sum(t.amount)' },
  // The version changes when records are added or removed, and when rows are merged. Rows are only inserted and deleted.
  'kept_version(organization uuid, kind text)': {
    result: 'text',
    query: `md5(string_agg(t.id::text, ',' ORDER BY t.id))`,
  },
};

/** The number of records in an organization, and a version that changes with the set of records; null unless the caller administers it. */
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
