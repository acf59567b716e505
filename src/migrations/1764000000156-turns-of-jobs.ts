import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps the serial key of a job whose turn has ended, for when it has to run again. */
export class TurnsOfJobs1764000000156 implements MigrationInterface {
  readonly name = 'TurnsOfJobs1764000000156';
  /** The digest of `src/database/sql` since this migration. */
  readonly scripts = 'c8c94d9a1b31c67f97407e4c110ebb0bcbccd61e4f2ad74162bfd7ac71392e9b';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE job ADD COLUMN ended_turn text`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE job DROP COLUMN ended_turn`);
  }
}
