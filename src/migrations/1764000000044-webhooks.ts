import type { MigrationInterface, QueryRunner } from 'typeorm';

const SYSTEM = `(SELECT current_setting('armature.user', true) = 'system')`;
const USER = `(SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)`;

/** Admins of the organization, and of the workspace of the row. */
const ADMINISTERED = `organization_id = (SELECT organizations_of(${USER}, 5) LIMIT 1)
  OR organization_id = ANY (ARRAY(SELECT organizations_of(${USER}, 5)))
  OR workspace_id IN (SELECT granted_resources(${USER}, 'workspace', 4))`;

const policies = (table: string, own: string, remove = 'false'): string => `
  ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
  CREATE POLICY reading ON ${table} FOR SELECT USING (${own} OR ${SYSTEM});
  CREATE POLICY adding ON ${table} FOR INSERT WITH CHECK (${own} OR ${SYSTEM});
  CREATE POLICY changing ON ${table} FOR UPDATE USING (${own} OR ${SYSTEM}) WITH CHECK (${own} OR ${SYSTEM});
  CREATE POLICY removing ON ${table} FOR DELETE USING (${remove} OR ${SYSTEM});
`;

const staysWhereItIs = (table: string, columns: string[]): string => `
  CREATE TRIGGER stays_where_it_is BEFORE UPDATE OF ${columns.join(', ')} ON ${table} FOR EACH ROW
    WHEN (${columns.map((column) => `OLD.${column} IS DISTINCT FROM NEW.${column}`).join(' OR ')})
    EXECUTE FUNCTION stays_where_it_is();
`;

/** Webhook endpoints, pending deliveries, and the last event of each organization that was read for them. */
export class Webhooks1764000000044 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE webhook (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        workspace_id uuid REFERENCES workspace,
        owner uuid NOT NULL REFERENCES app_user,
        url text NOT NULL,
        description text NOT NULL DEFAULT '',
        events text[] NOT NULL,
        severities text[] NOT NULL DEFAULT '{}',
        format text NOT NULL DEFAULT 'standard',
        enabled boolean NOT NULL DEFAULT true,
        header_names text[] NOT NULL DEFAULT '{}',
        secrets bytea NOT NULL,
        previous_secret_expires_at timestamptz(3),
        starts_after bigint NOT NULL DEFAULT 0,
        failing_since timestamptz(3),
        noticed_at timestamptz(3),
        slow boolean NOT NULL DEFAULT false,
        disabled_at timestamptz(3),
        disabled_reason text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1
      );
      CREATE INDEX webhook_organization ON webhook (organization_id, created_at, id) WHERE deleted_at IS NULL;

      CREATE TABLE webhook_delivery (
        id uuid PRIMARY KEY,
        webhook_id uuid NOT NULL REFERENCES webhook ON DELETE CASCADE,
        organization_id uuid NOT NULL REFERENCES organization,
        workspace_id uuid,
        event_id uuid,
        sequence bigint NOT NULL DEFAULT 0,
        subject uuid NOT NULL,
        kind text NOT NULL,
        status text NOT NULL DEFAULT 'pending',
        failures integer NOT NULL DEFAULT 0,
        next_attempt_at timestamptz(3),
        request jsonb,
        attempts jsonb NOT NULL DEFAULT '[]',
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE UNIQUE INDEX webhook_delivery_event ON webhook_delivery (webhook_id, event_id) WHERE event_id IS NOT NULL;
      CREATE INDEX webhook_delivery_due ON webhook_delivery (webhook_id, next_attempt_at, sequence) WHERE status = 'pending';
      CREATE INDEX webhook_delivery_subject ON webhook_delivery (webhook_id, subject, sequence) WHERE status = 'pending';
      CREATE INDEX webhook_delivery_created ON webhook_delivery (webhook_id, created_at, id);
      CREATE INDEX webhook_delivery_age ON webhook_delivery (created_at);

      CREATE TABLE webhook_feed (
        organization_id uuid PRIMARY KEY REFERENCES organization,
        position bigint NOT NULL
      );
      ${policies('webhook', ADMINISTERED)}
      ${policies('webhook_delivery', ADMINISTERED)}
      ${policies('webhook_feed', 'false')}
      ${staysWhereItIs('webhook', ['id', 'organization_id', 'workspace_id'])}
      ${staysWhereItIs('webhook_delivery', ['id', 'webhook_id', 'organization_id', 'workspace_id', 'event_id'])}
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE webhook_feed, webhook_delivery, webhook');
  }
}
