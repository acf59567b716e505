import type { MigrationInterface, QueryRunner } from 'typeorm';
import { SERVICE_ROLE } from '../core/database/data-source.js';

const SEARCHED_BY_NAME = ['credential', 'team'];

/** The queries that find ids of records in an organization, by table. */
const QUERIES: Record<string, string> = {
  ...Object.fromEntries(
    SEARCHED_BY_NAME.map((table) => [
      table,
      `SELECT t.id FROM ${table} t WHERE t.organization_id = organization AND t.name ILIKE pattern`,
    ]),
  ),
  member: `SELECT u.id FROM organization_member m JOIN app_user u ON u.id = m.user_id
            WHERE m.organization_id = organization
              AND (u.email ILIKE pattern OR (u.first_name || ' ' || u.last_name) ILIKE pattern)`,
};

const signature = (name: string): string => `search_${name}(organization uuid, pattern text, most integer)`;

/** As the existing search functions: returns ids, for members of the organization only, or null for more than `most`. */
const searchFunction = ([name, query]: [string, string]): string => `
  CREATE FUNCTION ${signature(name)} RETURNS uuid[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp SET plan_cache_mode = force_custom_plan AS $$
    DECLARE
      caller text := current_setting('armature.user', true);
      found uuid[];
    BEGIN
      IF caller IS DISTINCT FROM 'system' AND NOT EXISTS (SELECT FROM organization_member m
          WHERE m.organization_id = organization AND m.user_id = nullif(nullif(caller, ''), 'system')::uuid) THEN
        RETURN '{}';
      END IF;
      found := ARRAY(${query} LIMIT most + 1);
      RETURN CASE WHEN cardinality(found) <= most THEN found END;
    END $$;
  REVOKE ALL ON FUNCTION ${signature(name)} FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION ${signature(name)} TO ${SERVICE_ROLE};`;

/** Members, teams and credentials are searched by index as well. */
export class SearchOfPeople1764000000036 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of SEARCHED_BY_NAME)
      await queryRunner.query(
        `CREATE INDEX ${table}_search ON ${table} USING gin (organization_id, name gin_trgm_ops)`,
      );
    await queryRunner.query(`
      CREATE INDEX app_user_search ON app_user USING gin (email gin_trgm_ops, (first_name || ' ' || last_name) gin_trgm_ops)`);
    for (const each of Object.entries(QUERIES)) await queryRunner.query(searchFunction(each));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const name of Object.keys(QUERIES)) await queryRunner.query(`DROP FUNCTION ${signature(name)}`);
    await queryRunner.query('DROP INDEX app_user_search');
    for (const table of SEARCHED_BY_NAME) await queryRunner.query(`DROP INDEX ${table}_search`);
  }
}
