import type { MigrationInterface, QueryRunner } from 'typeorm';

const SYSTEM = `(SELECT current_setting('armature.user', true) = 'system')`;

/**
 * The changes of a deployment on clusters, stored before they are made and until the deployment has ended; and the deployed version of a
 * cluster before the running deployment.
 */
export class DeploymentChanges1764000000014 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE deployment_change (
        deployment_id uuid NOT NULL REFERENCES deployment,
        connection_id uuid NOT NULL,
        number integer NOT NULL,
        organization_id uuid NOT NULL REFERENCES organization,
        content bytea NOT NULL,
        PRIMARY KEY (deployment_id, connection_id, number)
      );
      ALTER TABLE deployment_change ENABLE ROW LEVEL SECURITY;
      CREATE POLICY tenancy ON deployment_change USING (${SYSTEM});

      ALTER TABLE deployed_design ADD COLUMN previous jsonb;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE deployed_design DROP COLUMN previous; DROP TABLE deployment_change');
  }
}
