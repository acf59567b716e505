import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A partial index: deletions look for unfinished deployments, which are few among all deployments. */
export class DeploymentsInUse1764000000013 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE INDEX deployment_unfinished ON deployment (workspace_id, design_id) WHERE finished_at IS NULL`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX deployment_unfinished');
  }
}
