import type { MigrationInterface, QueryRunner } from 'typeorm';

const SYSTEM = `(SELECT current_setting('armature.user', true) = 'system')`;

const systemPolicies = (table: string): string => `
  ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
  CREATE POLICY reading ON ${table} FOR SELECT USING (${SYSTEM});
  CREATE POLICY adding ON ${table} FOR INSERT WITH CHECK (${SYSTEM});
  CREATE POLICY changing ON ${table} FOR UPDATE USING (${SYSTEM}) WITH CHECK (${SYSTEM});
  CREATE POLICY removing ON ${table} FOR DELETE USING (${SYSTEM});
`;

/** E-mail about events: when the next one to a user is due, and the last event of each organization that was read for it. */
export class NotificationMails1764000000048 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE notification_settings ADD realtime text[] NOT NULL DEFAULT '{}', ADD unsubscribe_key bytea;
      CREATE INDEX notification_settings_realtime ON notification_settings (user_id) WHERE realtime <> '{}'::text[];

      CREATE TABLE notification_mail (
        user_id uuid NOT NULL REFERENCES app_user,
        frequency text NOT NULL,
        started_at timestamptz NOT NULL DEFAULT now(),
        due_at timestamptz,
        requested_at timestamptz,
        sent_at timestamptz,
        positions jsonb NOT NULL DEFAULT '{}',
        claimed_at timestamptz,
        claim jsonb,
        failures integer NOT NULL DEFAULT 0,
        PRIMARY KEY (user_id, frequency)
      );
      CREATE INDEX notification_mail_due ON notification_mail (due_at) WHERE due_at IS NOT NULL;

      CREATE TABLE notification_feed (
        organization_id uuid PRIMARY KEY REFERENCES organization,
        position bigint NOT NULL
      );
      ${systemPolicies('notification_mail')}
      ${systemPolicies('notification_feed')}
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TABLE notification_feed, notification_mail;
      DROP INDEX notification_settings_realtime;
      ALTER TABLE notification_settings DROP realtime, DROP unsubscribe_key;
    `);
  }
}
