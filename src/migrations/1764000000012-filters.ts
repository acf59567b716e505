import type { MigrationInterface, QueryRunner } from 'typeorm';

const SYSTEM = `(SELECT current_setting('armature.user', true) = 'system')`;
const USER = `(SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)`;

const organizations = (leastRole: number): string =>
  `organization_id = ANY (ARRAY(SELECT organizations_of(${USER}, ${leastRole})))`;

/** The filters that a caller may read and write: the same rule as for designs. */
const TENANCY = `organization_id = (SELECT organizations_of(${USER}, 5) LIMIT 1) OR ${organizations(5)}
  OR workspace_id IN (SELECT granted_resources(${USER}, 'workspace'))
  OR (visibility <> 'workspace' AND ${organizations(1)})
  OR ${SYSTEM}`;

/** The filters that every signed-in user may read. */
const PUBLISHED = `visibility = 'public' AND deleted_at IS NULL AND ${USER} IS NOT NULL
  AND workspace_id IN (SELECT id FROM active_workspace)
  AND organization_id IN (SELECT id FROM organization WHERE deleted_at IS NULL)`;

/** WebAssembly filters. The module and the configuration are sealed; other columns have the data for lists and the catalog. */
export class Filters1764000000012 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE filter (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        workspace_id uuid NOT NULL REFERENCES workspace,
        name text NOT NULL,
        user_id uuid NOT NULL REFERENCES app_user,
        visibility text NOT NULL DEFAULT 'workspace',
        content bytea NOT NULL,
        resource bytea,
        size integer NOT NULL,
        digest text NOT NULL,
        metadata jsonb NOT NULL DEFAULT '{}',
        location jsonb NOT NULL DEFAULT '{}',
        cloned_from jsonb,
        catalog_data jsonb NOT NULL DEFAULT '{}',
        technologies text[] NOT NULL DEFAULT '{}',
        clone_count integer NOT NULL DEFAULT 0,
        download_count integer NOT NULL DEFAULT 0,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1
      );
      CREATE INDEX filter_created ON filter (organization_id, created_at, id) WHERE deleted_at IS NULL;
      CREATE INDEX filter_workspace ON filter (workspace_id, created_at, id) WHERE deleted_at IS NULL;
      CREATE INDEX filter_search ON filter USING gin (name gin_trgm_ops);
      CREATE INDEX filter_catalog ON filter (created_at, id) WHERE visibility = 'public' AND deleted_at IS NULL;
      CREATE INDEX filter_technologies ON filter USING gin (technologies)
        WHERE visibility = 'public' AND deleted_at IS NULL;

      ALTER TABLE filter ENABLE ROW LEVEL SECURITY;
      CREATE POLICY tenancy ON filter USING (${TENANCY});
      CREATE POLICY published ON filter FOR SELECT USING (${PUBLISHED});
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE filter');
  }
}
