import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Replaces the list of drifted objects by the fields that this server applied to each object, which are kept when another field manager takes
 * them over. Adds the duration of a comparison.
 */
export class AppliedFields1764000000057 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE cluster_resource ADD COLUMN applied_fields jsonb');
    // The next list of the cluster inserts them again, with their applied fields.
    await queryRunner.query(
      `UPDATE cluster_resource SET resource_version = '', applied_digest = NULL WHERE applied_digest IS NOT NULL`,
    );
    await queryRunner.query(
      'ALTER TABLE deployed_drift ADD COLUMN took_ms integer NOT NULL DEFAULT 0, DROP COLUMN objects',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE deployed_drift DROP COLUMN took_ms, ADD COLUMN objects jsonb NOT NULL DEFAULT '[]'`,
    );
    await queryRunner.query('ALTER TABLE cluster_resource DROP COLUMN applied_fields');
  }
}
