import type { MigrationInterface, QueryRunner } from 'typeorm';

const OWNER = `coalesce(organization_id, '00000000-0000-0000-0000-000000000000'::uuid)`;

export class DataKeyRotation1764000000009 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE data_key ADD COLUMN retired_at timestamptz(3);
      DROP INDEX data_key_organization;
      CREATE UNIQUE INDEX data_key_organization ON data_key (${OWNER}) WHERE retired_at IS NULL;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP INDEX data_key_organization;
      ALTER TABLE data_key DROP COLUMN retired_at;
      CREATE UNIQUE INDEX data_key_organization ON data_key (${OWNER});
    `);
  }
}
