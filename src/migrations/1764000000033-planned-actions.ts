import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What plans would do with each object, so that a deployment that waits for approval can be shown. */
export class PlannedActions1764000000033 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE deployment_plan ADD COLUMN resources jsonb NOT NULL DEFAULT '[]'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE deployment_plan DROP COLUMN resources');
  }
}
