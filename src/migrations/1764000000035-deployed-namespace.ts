import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The namespace of deployed objects that do not name one. For existing deployments it is known only if the request named it. */
export class DeployedNamespace1764000000035 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE deployed_design ADD COLUMN namespace text;
      UPDATE deployed_design SET namespace = d.options->>'namespace' FROM deployment d WHERE d.id = deployment_id;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE deployed_design DROP COLUMN namespace');
  }
}
