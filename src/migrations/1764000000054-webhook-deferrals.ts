import type { MigrationInterface, QueryRunner } from 'typeorm';

const SYSTEM = `(SELECT current_setting('armature.user', true) = 'system')`;

/** The event number after which failing endpoints receive the events of their organization separately, after the other endpoints. */
export class WebhookDeferrals1764000000054 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE webhook_deferral (
        webhook_id uuid PRIMARY KEY REFERENCES webhook ON DELETE CASCADE,
        organization_id uuid NOT NULL REFERENCES organization,
        after bigint NOT NULL
      );
      CREATE INDEX webhook_deferral_organization ON webhook_deferral (organization_id);
      ALTER TABLE webhook_deferral ENABLE ROW LEVEL SECURITY;
      CREATE POLICY reading ON webhook_deferral FOR SELECT USING (${SYSTEM});
      CREATE POLICY adding ON webhook_deferral FOR INSERT WITH CHECK (${SYSTEM});
      CREATE POLICY changing ON webhook_deferral FOR UPDATE USING (${SYSTEM}) WITH CHECK (${SYSTEM});
      CREATE POLICY removing ON webhook_deferral FOR DELETE USING (${SYSTEM});
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE webhook_deferral');
  }
}
