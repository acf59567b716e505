import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Names are ordered as people order them: by letter whatever its case and accent, and numbers in them by value. */
export class OrderOfNames1764000000095 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE COLLATION names (provider = icu, locale = 'und-u-kn-true')`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP COLLATION names');
  }
}
