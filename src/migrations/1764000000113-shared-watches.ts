import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The digest of the access of a watched connection: connections with the same one share a watch. */
export class SharedWatches1764000000113 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE cluster_watch ADD COLUMN access_digest text, ADD COLUMN access_revision text;
      CREATE INDEX cluster_watch_access ON cluster_watch (access_digest);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE cluster_watch DROP COLUMN access_digest, DROP COLUMN access_revision');
  }
}
