import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Records who asked to cancel a job, whom its end is attributed to. */
export class JobCancelledBy1764000000105 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE job ADD COLUMN cancelled_by uuid');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE job DROP COLUMN cancelled_by');
  }
}
