import type { MigrationInterface, QueryRunner } from 'typeorm';

const SYSTEM = `(SELECT current_setting('armature.user', true) = 'system')`;
const USER = `(SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)`;

/** Users may access only their own rows. */
const ownPolicies = (table: string): string => `
  ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
  CREATE POLICY reading ON ${table} FOR SELECT USING (user_id = ${USER} OR ${SYSTEM});
  CREATE POLICY adding ON ${table} FOR INSERT WITH CHECK (user_id = ${USER} OR ${SYSTEM});
  CREATE POLICY changing ON ${table} FOR UPDATE USING (user_id = ${USER} OR ${SYSTEM}) WITH CHECK (user_id = ${USER} OR ${SYSTEM});
  CREATE POLICY removing ON ${table} FOR DELETE USING (user_id = ${USER} OR ${SYSTEM});
`;

/** Notification settings of users, and the notifications that they have read. */
export class Notifications1764000000047 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE notification_settings (
        user_id uuid PRIMARY KEY REFERENCES app_user,
        categories jsonb NOT NULL DEFAULT '{}',
        timezone text NOT NULL DEFAULT 'UTC',
        digest_at text NOT NULL DEFAULT '08:00',
        muted_workspaces uuid[] NOT NULL DEFAULT '{}',
        revision integer NOT NULL DEFAULT 0,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now()
      );

      CREATE TABLE notification_mark (
        user_id uuid NOT NULL REFERENCES app_user,
        event_id uuid NOT NULL,
        read boolean NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (user_id, event_id)
      );
      CREATE INDEX notification_mark_age ON notification_mark (created_at);

      CREATE TABLE notification_position (
        user_id uuid NOT NULL REFERENCES app_user,
        feed uuid NOT NULL,
        position bigint NOT NULL,
        PRIMARY KEY (user_id, feed)
      );
      ${ownPolicies('notification_settings')}
      ${ownPolicies('notification_mark')}
      ${ownPolicies('notification_position')}
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE notification_position, notification_mark, notification_settings');
  }
}
