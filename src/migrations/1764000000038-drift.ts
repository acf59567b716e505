import type { MigrationInterface, QueryRunner } from 'typeorm';

const SYSTEM = `(SELECT current_setting('armature.user', true) = 'system')`;
const USER = `(SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)`;
const READERS = `organization_id = ANY (ARRAY(SELECT organizations_of(${USER}, 5)))
  OR connection_id IN (SELECT granted_resources(${USER}, 'connection'))`;

/** Drift of deployed designs at the last comparison, and the number of self-healing runs. */
export class Drift1764000000038 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE deployed_drift (
        design_id uuid NOT NULL REFERENCES design ON DELETE CASCADE,
        connection_id uuid NOT NULL REFERENCES connection ON DELETE CASCADE,
        environment_id uuid NOT NULL,
        organization_id uuid NOT NULL REFERENCES organization,
        deployment_id uuid NOT NULL,
        status text NOT NULL,
        checked_at timestamptz(3) NOT NULL,
        heals jsonb NOT NULL DEFAULT '[]',
        stopped boolean NOT NULL DEFAULT false,
        PRIMARY KEY (design_id, connection_id, environment_id)
      );
      ALTER TABLE deployed_drift ENABLE ROW LEVEL SECURITY;
      CREATE POLICY reading ON deployed_drift FOR SELECT USING (${READERS} OR ${SYSTEM});
      CREATE POLICY adding ON deployed_drift FOR INSERT WITH CHECK (${SYSTEM});
      CREATE POLICY changing ON deployed_drift FOR UPDATE USING (${SYSTEM});
      CREATE POLICY removing ON deployed_drift FOR DELETE USING (${SYSTEM});
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE deployed_drift');
  }
}
