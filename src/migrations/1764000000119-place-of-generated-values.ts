import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the rendering of a chart that has generated values for a place, whose name is encrypted with them. */
export class PlaceOfGeneratedValues1764000000119 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE design_version ADD COLUMN generated_for text');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE design_version DROP COLUMN generated_for');
  }
}
