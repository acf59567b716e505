import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Records for each environment who reads the logs of what is deployed there. */
export class ReadersOfLogs1764000000149 implements MigrationInterface {
  readonly name = 'ReadersOfLogs1764000000149';
  /** The digest of `src/database/sql` since this migration. */
  readonly scripts = 'b77e64e950238e592646e242f7d4450807f955a56c0eaec03ee638afdbc55041';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE environment ADD COLUMN logs text NOT NULL DEFAULT 'editor'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE environment DROP COLUMN logs`);
  }
}
