import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether fields that people add to deployed objects are drift, and which fields have drifted. */
export class AddedFields1764000000090 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE environment ADD COLUMN drift text NOT NULL DEFAULT 'fields';
      ALTER TABLE deployed_drift ADD COLUMN fields_digest text;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE deployed_drift DROP COLUMN fields_digest;
      ALTER TABLE environment DROP COLUMN drift;
    `);
  }
}
