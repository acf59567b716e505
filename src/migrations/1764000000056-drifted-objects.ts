import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The drifted objects, so that a further change of one of them is compared immediately. */
export class DriftedObjects1764000000056 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE deployed_drift ADD COLUMN objects jsonb NOT NULL DEFAULT '[]'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE deployed_drift DROP COLUMN objects`);
  }
}
