import type { MigrationInterface, QueryRunner } from 'typeorm';

const SYSTEM = `(SELECT current_setting('armature.user', true) = 'system')`;
const USER = `(SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)`;
const ADMIN_OF = `organization_id = ANY (ARRAY(SELECT organizations_of(${USER}, 5)))`;
const READS = `${ADMIN_OF} OR workspace_id IN (SELECT granted_resources(${USER}, 'workspace'))`;
const WRITES = `${ADMIN_OF} OR workspace_id IN (SELECT granted_resources(${USER}, 'workspace', 4))`;

/** Policies of workspaces, and violations of policies that only warn. */
export class Policies1764000000031 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE policy (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        workspace_id uuid NOT NULL REFERENCES workspace,
        name text NOT NULL,
        expression text NOT NULL,
        message text NOT NULL DEFAULT '',
        mode text NOT NULL,
        kinds text[] NOT NULL DEFAULT '{}',
        enabled boolean NOT NULL DEFAULT true,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1
      );
      CREATE INDEX policy_workspace ON policy (workspace_id, created_at, id) WHERE deleted_at IS NULL;
      CREATE UNIQUE INDEX policy_name ON policy (workspace_id, lower(name)) WHERE deleted_at IS NULL;

      ALTER TABLE policy ENABLE ROW LEVEL SECURITY;
      CREATE POLICY reading ON policy FOR SELECT USING (${READS} OR ${SYSTEM});
      CREATE POLICY adding ON policy FOR INSERT WITH CHECK (${WRITES} OR ${SYSTEM});
      CREATE POLICY changing ON policy FOR UPDATE USING (${READS} OR ${SYSTEM}) WITH CHECK (${WRITES} OR ${SYSTEM});
      CREATE POLICY removing ON policy FOR DELETE USING (${WRITES} OR ${SYSTEM});
      CREATE TRIGGER stays_where_it_is BEFORE UPDATE OF id, organization_id, workspace_id ON policy FOR EACH ROW
        WHEN (OLD.id IS DISTINCT FROM NEW.id OR OLD.organization_id IS DISTINCT FROM NEW.organization_id
          OR OLD.workspace_id IS DISTINCT FROM NEW.workspace_id)
        EXECUTE FUNCTION stays_where_it_is();

      ALTER TABLE deployment ADD COLUMN policy_violations jsonb NOT NULL DEFAULT '[]';
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE deployment DROP COLUMN policy_violations; DROP TABLE policy');
  }
}
