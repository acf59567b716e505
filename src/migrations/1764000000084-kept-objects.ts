import type { MigrationInterface, QueryRunner } from 'typeorm';

const SYSTEM = `(SELECT current_setting('armature.user', true) = 'system')`;
const USER = `(SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)`;
const READERS = `organization_id = ANY (ARRAY(SELECT organizations_of(${USER}, 5)))
  OR connection_id IN (SELECT granted_resources(${USER}, 'connection'))`;

/** What deployments left on clusters and no label identifies, such as the volume claims of a StatefulSet. */
export class KeptObjects1764000000084 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE kept_objects (
        design_id uuid NOT NULL REFERENCES design ON DELETE CASCADE,
        connection_id uuid NOT NULL REFERENCES connection ON DELETE CASCADE,
        environment_id uuid NOT NULL,
        organization_id uuid NOT NULL REFERENCES organization,
        objects jsonb NOT NULL,
        PRIMARY KEY (design_id, connection_id, environment_id)
      );
      ALTER TABLE kept_objects ENABLE ROW LEVEL SECURITY;
      CREATE POLICY reading ON kept_objects FOR SELECT USING (${READERS} OR ${SYSTEM});
      CREATE POLICY adding ON kept_objects FOR INSERT WITH CHECK (${SYSTEM});
      CREATE POLICY changing ON kept_objects FOR UPDATE USING (${SYSTEM});
      CREATE POLICY removing ON kept_objects FOR DELETE USING (${SYSTEM});
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE kept_objects');
  }
}
