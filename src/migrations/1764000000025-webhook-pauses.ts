import type { MigrationInterface, QueryRunner } from 'typeorm';

const SYSTEM = `(SELECT current_setting('armature.user', true) = 'system')`;

/** The end of the pause of an endpoint that fails or is rate limited. */
export class WebhookPauses1764000000025 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE webhook_pause (
        webhook_id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        until timestamptz(3) NOT NULL
      );
      ALTER TABLE webhook_pause ENABLE ROW LEVEL SECURITY;
      CREATE POLICY reading ON webhook_pause FOR SELECT USING (${SYSTEM});
      CREATE POLICY adding ON webhook_pause FOR INSERT WITH CHECK (${SYSTEM});
      CREATE POLICY changing ON webhook_pause FOR UPDATE USING (${SYSTEM}) WITH CHECK (${SYSTEM});
      CREATE POLICY removing ON webhook_pause FOR DELETE USING (${SYSTEM});
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE webhook_pause');
  }
}
