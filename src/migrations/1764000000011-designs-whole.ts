import type { MigrationInterface, QueryRunner } from 'typeorm';

const SYSTEM = `(SELECT current_setting('armature.user', true) = 'system')`;
const USER = `(SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)`;
const MEMBER_OF = `organization_id = ANY (ARRAY(SELECT organizations_of(${USER}, 1)))`;
const PUBLISHED = `EXISTS (SELECT FROM published_design p WHERE p.id = design_id AND p.version_number = number)`;

/** Versions of designs, named snapshots, the origin of clones, and the catalog. */
export class DesignsWhole1764000000011 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE design ADD cloned_from jsonb;
      ALTER TABLE deployment_plan ADD current_version integer;

      ALTER TABLE design_version ADD id uuid NOT NULL DEFAULT gen_random_uuid(), ADD source_type text, ADD variant_of integer;
      UPDATE design_version v SET source_type = d.source_type FROM design d WHERE d.id = v.design_id;
      ALTER TABLE design_version ALTER source_type SET NOT NULL, ALTER id DROP DEFAULT;

      -- A name for a version, for ever.
      CREATE TABLE snapshot (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        design_id uuid NOT NULL,
        number integer NOT NULL,
        name text NOT NULL,
        user_id uuid NOT NULL REFERENCES app_user,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1,
        FOREIGN KEY (design_id, number) REFERENCES design_version (design_id, number)
      );
      CREATE UNIQUE INDEX snapshot_name ON snapshot (design_id, lower(name)) WHERE deleted_at IS NULL;

      -- What the catalog shows of a design: one version of it, under the name that it had.
      CREATE TABLE publication (
        design_id uuid PRIMARY KEY REFERENCES design,
        organization_id uuid NOT NULL REFERENCES organization,
        number integer NOT NULL,
        name text NOT NULL,
        version text NOT NULL,
        source_type text NOT NULL,
        unsupported text NOT NULL,
        technologies text[] NOT NULL,
        published_by uuid NOT NULL REFERENCES app_user,
        -- Of the design: what the catalog is ordered by.
        created_at timestamptz(3) NOT NULL,
        published_at timestamptz(3) NOT NULL DEFAULT now(),
        FOREIGN KEY (design_id, number) REFERENCES design_version (design_id, number)
      );
      CREATE INDEX publication_created ON publication (created_at, design_id);
      CREATE INDEX publication_published ON publication (published_at, design_id);
      CREATE INDEX publication_technologies ON publication USING gin (technologies);
      CREATE INDEX publication_search ON publication USING gin (name gin_trgm_ops);

      -- All that a stranger may know of a design. A view asks as its owner, whom the policies do not bind.
      CREATE VIEW published_design AS
      SELECT d.id, d.organization_id, d.workspace_id, p.name, d.user_id, d.visibility, p.source_type, p.number AS version_number, p.version,
        jsonb_build_object('type', d.location->>'type', 'host', '', 'path', '', 'branch', '') AS location, NULL::jsonb AS cloned_from,
        d.catalog_data, p.unsupported, d.deployment_count, d.clone_count, d.download_count, p.technologies,
        p.created_at, p.published_at AS updated_at, d.deleted_at, d.revision
      FROM publication p
      JOIN design d ON d.id = p.design_id AND d.deleted_at IS NULL
      JOIN active_workspace w ON w.id = d.workspace_id;

      ALTER TABLE snapshot ENABLE ROW LEVEL SECURITY;
      CREATE POLICY tenancy ON snapshot USING (${MEMBER_OF} OR ${SYSTEM});
      ALTER TABLE publication ENABLE ROW LEVEL SECURITY;
      CREATE POLICY tenancy ON publication USING (${MEMBER_OF} OR ${SYSTEM});
      CREATE POLICY published ON design_version FOR SELECT USING (${USER} IS NOT NULL AND ${PUBLISHED});
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP POLICY published ON design_version;
      DROP VIEW published_design;
      DROP TABLE publication, snapshot;
      ALTER TABLE design_version DROP id, DROP source_type, DROP variant_of;
      ALTER TABLE deployment_plan DROP current_version;
      ALTER TABLE design DROP cloned_from;
    `);
  }
}
