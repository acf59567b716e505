import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The result of deployments for each cluster. */
export class DeployedClusters1764000000034 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE deployment ADD COLUMN clusters jsonb NOT NULL DEFAULT '[]'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE deployment DROP COLUMN clusters');
  }
}
