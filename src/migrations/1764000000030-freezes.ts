import type { MigrationInterface, QueryRunner } from 'typeorm';

const SYSTEM = `(SELECT current_setting('armature.user', true) = 'system')`;
const USER = `(SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)`;
const ADMIN_OF = `organization_id = ANY (ARRAY(SELECT organizations_of(${USER}, 5)))`;

/** Freeze windows of environments. Organization admins manage them; deployments read them as the system. */
export class Freezes1764000000030 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE environment_freeze (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        environment_id uuid NOT NULL REFERENCES environment,
        name text NOT NULL,
        starts_at timestamptz(3) NOT NULL,
        ends_at timestamptz(3) NOT NULL,
        recurrence text,
        timezone text NOT NULL,
        message text NOT NULL DEFAULT '',
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1
      );
      CREATE INDEX environment_freeze_environment ON environment_freeze (environment_id, created_at, id)
        WHERE deleted_at IS NULL;

      ALTER TABLE environment_freeze ENABLE ROW LEVEL SECURITY;
      CREATE POLICY reading ON environment_freeze FOR SELECT USING (${ADMIN_OF} OR ${SYSTEM});
      CREATE POLICY adding ON environment_freeze FOR INSERT WITH CHECK (${ADMIN_OF} OR ${SYSTEM});
      CREATE POLICY changing ON environment_freeze FOR UPDATE USING (${ADMIN_OF} OR ${SYSTEM});
      CREATE POLICY removing ON environment_freeze FOR DELETE USING (${ADMIN_OF} OR ${SYSTEM});
      CREATE TRIGGER stays_where_it_is BEFORE UPDATE OF id, organization_id, environment_id ON environment_freeze FOR EACH ROW
        WHEN (OLD.id IS DISTINCT FROM NEW.id OR OLD.organization_id IS DISTINCT FROM NEW.organization_id
          OR OLD.environment_id IS DISTINCT FROM NEW.environment_id)
        EXECUTE FUNCTION stays_where_it_is();
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE environment_freeze');
  }
}
