import type { MigrationInterface, QueryRunner } from 'typeorm';

const SYSTEM = `(SELECT current_setting('armature.user', true) = 'system')`;

/** The time of the next delivery of each endpoint and the process that delivers now, in place of one job per delivery. */
export class WebhookQueue1764000000053 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE webhook_queue (
        webhook_id uuid PRIMARY KEY REFERENCES webhook ON DELETE CASCADE,
        organization_id uuid NOT NULL REFERENCES organization,
        due_at timestamptz(3),
        worker uuid,
        lease_until timestamptz(3)
      );
      CREATE INDEX webhook_queue_due ON webhook_queue (due_at) WHERE worker IS NULL;
      CREATE INDEX webhook_queue_held ON webhook_queue (worker) WHERE worker IS NOT NULL;
      ALTER TABLE webhook_queue ENABLE ROW LEVEL SECURITY;
      CREATE POLICY reading ON webhook_queue FOR SELECT USING (${SYSTEM});
      CREATE POLICY adding ON webhook_queue FOR INSERT WITH CHECK (${SYSTEM});
      CREATE POLICY changing ON webhook_queue FOR UPDATE USING (${SYSTEM}) WITH CHECK (${SYSTEM});
      CREATE POLICY removing ON webhook_queue FOR DELETE USING (${SYSTEM});
      INSERT INTO webhook_queue (webhook_id, organization_id, due_at)
        SELECT id, organization_id, now() FROM webhook
         WHERE EXISTS (SELECT FROM webhook_delivery WHERE webhook_id = webhook.id AND status = 'pending');
      DELETE FROM job WHERE queue IN ('webhook-events', 'webhook-deliveries', 'webhook-deliveries-slow') AND status = 'queued';
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE webhook_queue');
  }
}
