import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Numbers the requests about a controller, so that a job that waits knows whether its request is the last one. */
export class RequestOfControllers1764000000150 implements MigrationInterface {
  readonly name = 'RequestOfControllers1764000000150';
  /** The digest of `src/database/sql` since this migration. */
  readonly scripts = '32671d65a008abf49ef1753c0da7d79a4ec095d3329d869ebc50f824f6f03810';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE controller_installation ADD COLUMN request integer NOT NULL DEFAULT 0`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE controller_installation DROP COLUMN request`);
  }
}
