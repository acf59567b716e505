import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where the objects of deployed designs are that name no namespace. Of what is deployed already, only what a call named is known. */
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
