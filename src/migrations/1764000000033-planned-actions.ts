import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The planned action for each object, so that approvers can see it. */
export class PlannedActions1764000000033 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE deployment_plan ADD COLUMN resources jsonb NOT NULL DEFAULT '[]'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE deployment_plan DROP COLUMN resources');
  }
}
