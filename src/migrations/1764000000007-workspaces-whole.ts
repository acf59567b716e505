import type { MigrationInterface, QueryRunner } from 'typeorm';

const QUOTAS = ['max_designs', 'max_environments', 'max_members', 'max_deployments_per_day'];

/** The quotas of workspaces, in the row that is locked during counting. */
export class WorkspacesWhole1764000000007 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE workspace ${QUOTAS.map((quota) => `ADD ${quota} integer CHECK (${quota} >= 0)`).join(', ')};
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE workspace ${QUOTAS.map((quota) => `DROP ${quota}`).join(', ')}`);
  }
}
