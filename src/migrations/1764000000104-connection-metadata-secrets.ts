import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Secrets in the metadata of connections, encrypted; the metadata shows a mask in their place. */
export class ConnectionMetadataSecrets1764000000104 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE connection ADD COLUMN metadata_secrets bytea');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE connection DROP COLUMN metadata_secrets');
  }
}
