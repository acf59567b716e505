import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The time since which the stored objects of a cluster may be out of date; and an index of objects by deployment. */
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
