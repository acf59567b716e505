import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Records the workspace for which a chart was rendered, whose members may read the rendering. */
export class WorkspaceOfRenderings1764000000143 implements MigrationInterface {
  readonly name = 'WorkspaceOfRenderings1764000000143';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE design_version ADD COLUMN workspace_id uuid`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE design_version DROP COLUMN workspace_id`);
  }
}
