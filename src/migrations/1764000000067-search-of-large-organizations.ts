import type { MigrationInterface, QueryRunner } from 'typeorm';

const SEARCHED = ['connection', 'deployment', 'design', 'environment', 'filter', 'workspace'];

/** For an organization with more than this share of all records, the index is searched by the pattern only. */
const SHARE = 0.25;

const ofOrganization = (table: string): string =>
  `ARRAY(SELECT id FROM ${table} WHERE organization_id = organization AND name ILIKE pattern LIMIT most + 1)`;

/** IS NOT DISTINCT FROM cannot use the index, so it remains a filter. */
const ofLargeOrganization = (table: string): string =>
  `ARRAY(SELECT id FROM ${table} WHERE organization_id IS NOT DISTINCT FROM organization AND name ILIKE pattern LIMIT most + 1)`;

const searchFunction = (table: string, found: string): string => `
  CREATE OR REPLACE FUNCTION search_${table}(organization uuid, pattern text, most integer) RETURNS uuid[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp SET plan_cache_mode = force_custom_plan AS $$
    DECLARE
      caller text := current_setting('armature.user', true);
      found uuid[];
    BEGIN
      IF caller IS DISTINCT FROM 'system' AND NOT EXISTS (SELECT FROM organization_member m
          WHERE m.organization_id = organization AND m.user_id = nullif(nullif(caller, ''), 'system')::uuid) THEN
        RETURN '{}';
      END IF;
      ${found}
      RETURN CASE WHEN cardinality(found) <= most THEN found END;
    END $$`;

/**
 * The index intersects all entries of the organization with those of the pattern. With 100,000 records this takes longer than filtering the few
 * matches of other organizations, so for an organization that has most records the index is searched by the pattern only.
 */
export class SearchOfLargeOrganizations1764000000067 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of SEARCHED)
      await queryRunner.query(
        searchFunction(
          table,
          `IF (SELECT sum(t.amount) FROM record_total t WHERE t.organization_id = organization AND t.record = '${table}')
              > ${SHARE} * (SELECT c.reltuples FROM pg_class c WHERE c.oid = '${table}'::regclass) THEN
             found := ${ofLargeOrganization(table)};
           ELSE
             found := ${ofOrganization(table)};
           END IF;`,
        ),
      );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of SEARCHED) await queryRunner.query(searchFunction(table, `found := ${ofOrganization(table)};`));
  }
}
