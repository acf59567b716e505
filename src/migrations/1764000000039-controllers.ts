import type { MigrationInterface, QueryRunner } from 'typeorm';

const SYSTEM = `(SELECT current_setting('armature.user', true) = 'system')`;
const USER = `(SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)`;
const ADMIN_OF = `organization_id = ANY (ARRAY(SELECT organizations_of(${USER}, 5)))`;
const READERS = `${ADMIN_OF} OR connection_id IN (SELECT granted_resources(${USER}, 'connection'))`;

/** The desired state of the operator and adapters on clusters. Organization admins set it; jobs of the system apply it. */
export class Controllers1764000000039 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE controller_installation (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        connection_id uuid NOT NULL REFERENCES connection,
        name text NOT NULL,
        target text NOT NULL,
        pending boolean NOT NULL,
        port integer,
        requested_by uuid NOT NULL REFERENCES app_user,
        failure jsonb,
        objects jsonb NOT NULL DEFAULT '[]',
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1
      );
      CREATE UNIQUE INDEX controller_installation_connection ON controller_installation (connection_id, name);

      ALTER TABLE controller_installation ENABLE ROW LEVEL SECURITY;
      CREATE POLICY reading ON controller_installation FOR SELECT USING (${READERS} OR ${SYSTEM});
      CREATE POLICY adding ON controller_installation FOR INSERT WITH CHECK (${ADMIN_OF} OR ${SYSTEM});
      CREATE POLICY changing ON controller_installation FOR UPDATE USING (${ADMIN_OF} OR ${SYSTEM});
      CREATE POLICY removing ON controller_installation FOR DELETE USING (${ADMIN_OF} OR ${SYSTEM});
      CREATE TRIGGER stays_where_it_is BEFORE UPDATE OF id, organization_id, connection_id ON controller_installation FOR EACH ROW
        WHEN (OLD.id IS DISTINCT FROM NEW.id OR OLD.organization_id IS DISTINCT FROM NEW.organization_id
          OR OLD.connection_id IS DISTINCT FROM NEW.connection_id)
        EXECUTE FUNCTION stays_where_it_is();
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE controller_installation');
  }
}
