import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Since when what is kept of a cluster may be out of date; and finding what stands by its deployment. */
export class StaleWatches1764000000052 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE cluster_watch ADD COLUMN stale_since timestamptz(3);
      CREATE INDEX deployed_design_deployment ON deployed_design (deployment_id);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP INDEX deployed_design_deployment;
      ALTER TABLE cluster_watch DROP COLUMN stale_since;
    `);
  }
}
