import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps the values of Secrets that designs were read from a cluster with. */
export class SealedValuesOfDesigns1764000000153 implements MigrationInterface {
  readonly name = 'SealedValuesOfDesigns1764000000153';
  /** The digest of `src/database/sql` since this migration. */
  readonly scripts = 'c8c94d9a1b31c67f97407e4c110ebb0bcbccd61e4f2ad74162bfd7ac71392e9b';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE design ADD COLUMN sealed_values bytea`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE design DROP COLUMN sealed_values`);
  }
}
