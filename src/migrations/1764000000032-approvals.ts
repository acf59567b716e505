import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Approvals of deployments by several people, the number that an environment requires, and the origin of a promoted deployment. */
export class Approvals1764000000032 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE environment ADD COLUMN required_approvals smallint;

      ALTER TABLE deployment
        ADD COLUMN approvals jsonb NOT NULL DEFAULT '[]',
        ADD COLUMN approval_expires_at timestamptz(3),
        ADD COLUMN promoted_from uuid REFERENCES deployment;
      UPDATE deployment SET approvals = jsonb_build_array(jsonb_build_object('user_id', approved_by, 'decision', 'approved',
          'reason', NULL, 'at', to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
        WHERE approved_by IS NOT NULL;
      UPDATE deployment SET approval_expires_at = now() + interval '72 hours' WHERE status = 'pending_approval';
      CREATE INDEX deployment_approval_expiry ON deployment (approval_expires_at) WHERE status = 'pending_approval';
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP INDEX deployment_approval_expiry;
      ALTER TABLE deployment DROP COLUMN promoted_from, DROP COLUMN approval_expires_at, DROP COLUMN approvals;
      ALTER TABLE environment DROP COLUMN required_approvals;
    `);
  }
}
