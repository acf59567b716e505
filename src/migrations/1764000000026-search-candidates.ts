import type { MigrationInterface, QueryRunner } from 'typeorm';
import { SERVICE_ROLE } from '../core/database/data-source.js';

/** The tables that are searched by name within an organization, and whether they had an index for it. */
const SEARCHED = ['connection', 'deployment', 'design', 'environment', 'filter', 'workspace'];
const INDEXED_BEFORE = SEARCHED.filter((table) => table !== 'deployment');

/** Tables whose records are also shared with the whole organization. */
const SHARED = ['design', 'filter'];

const signature = (table: string): string => `search_${table}(organization uuid, pattern text, most integer)`;

/**
 * Returns the ids of an organization's records whose name matches, or null for more than `most`. ILIKE is not leakproof, so under a policy it
 * cannot use an index; this function of the owner of the tables uses the index, for members of the organization only. The policies of the
 * statement that receives the ids decide which records the caller may read. It is planned for each pattern, because a generic plan cannot know
 * whether the index helps.
 */
const searchFunction = (table: string): string => `
  CREATE FUNCTION ${signature(table)} RETURNS uuid[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp SET plan_cache_mode = force_custom_plan AS $$
    DECLARE
      caller text := current_setting('armature.user', true);
      found uuid[];
    BEGIN
      IF caller IS DISTINCT FROM 'system' AND NOT EXISTS (SELECT FROM organization_member m
          WHERE m.organization_id = organization AND m.user_id = nullif(nullif(caller, ''), 'system')::uuid) THEN
        RETURN '{}';
      END IF;
      found := ARRAY(SELECT id FROM ${table} WHERE organization_id = organization AND name ILIKE pattern LIMIT most + 1);
      RETURN CASE WHEN cardinality(found) <= most THEN found END;
    END $$;
  REVOKE ALL ON FUNCTION ${signature(table)} FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION ${signature(table)} TO ${SERVICE_ROLE};`;

const ROLE_COLUMNS = 'user_id uuid, organization_id uuid, resource_type text, resource_id uuid, role smallint';

/** Further queries of the view of roles as functions, because a connection plans a function once, but the view for each statement. */
const QUESTIONS: Record<string, { result: string; query: string }> = {
  'roles_of(actor uuid)': {
    result: `TABLE (${ROLE_COLUMNS})`,
    query: 'SELECT r.* FROM access_role r WHERE r.user_id = actor',
  },
  'roles_in(organization uuid, actors uuid[])': {
    result: `TABLE (${ROLE_COLUMNS})`,
    query: 'SELECT r.* FROM access_role r WHERE r.user_id = ANY (actors) AND r.organization_id = organization',
  },
  'administrators_of(organization uuid, workspace uuid, needed integer)': {
    result: 'TABLE (user_id uuid, role smallint)',
    query: `SELECT r.user_id, max(r.role) FROM access_role r
             WHERE r.organization_id = organization AND r.role >= needed
               AND (r.resource_type = 'organization' OR (r.resource_type = 'workspace' AND r.resource_id = workspace))
             GROUP BY r.user_id`,
  },
};

/** Makes the cost of searching by name and listing proportional to the number of results, not of records in the organization. */
export class SearchCandidates1764000000026 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    // One index of organization and name, because a word that is common in the installation may be rare in an organization.
    await queryRunner.query('CREATE EXTENSION IF NOT EXISTS btree_gin');
    for (const table of INDEXED_BEFORE) await queryRunner.query(`DROP INDEX ${table}_search`);
    for (const table of SEARCHED)
      await queryRunner.query(`
        CREATE INDEX ${table}_search ON ${table} USING gin (organization_id, name gin_trgm_ops);
        ${searchFunction(table)}
      `);
    for (const table of SHARED)
      await queryRunner.query(`
        CREATE INDEX ${table}_shared ON ${table} (organization_id) WHERE visibility = 'organization' AND deleted_at IS NULL`);
    for (const [name, { result, query }] of Object.entries(QUESTIONS))
      await queryRunner.query(`
        CREATE FUNCTION ${name} RETURNS ${result}
          LANGUAGE plpgsql STABLE PARALLEL SAFE SET plan_cache_mode = force_generic_plan AS $$ BEGIN
            RETURN QUERY ${query};
          END $$`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const name of Object.keys(QUESTIONS)) await queryRunner.query(`DROP FUNCTION ${name}`);
    for (const table of SHARED) await queryRunner.query(`DROP INDEX ${table}_shared`);
    for (const table of SEARCHED)
      await queryRunner.query(`DROP FUNCTION ${signature(table)}; DROP INDEX ${table}_search`);
    for (const table of INDEXED_BEFORE)
      await queryRunner.query(`CREATE INDEX ${table}_search ON ${table} USING gin (name gin_trgm_ops)`);
    await queryRunner.query('DROP EXTENSION btree_gin');
  }
}
