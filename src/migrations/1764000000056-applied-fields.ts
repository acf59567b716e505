import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What this server applied to the objects of a cluster is remembered when others take it over; how long a comparison took. */
export class AppliedFields1764000000056 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE cluster_resource ADD COLUMN applied_fields jsonb');
    await queryRunner.query('ALTER TABLE deployed_drift ADD COLUMN took_ms integer NOT NULL DEFAULT 0');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE deployed_drift DROP COLUMN took_ms');
    await queryRunner.query('ALTER TABLE cluster_resource DROP COLUMN applied_fields');
  }
}
