import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Records when categories and workspaces had no notifications, so that what happened then never becomes one. */
export class NotificationSilences1764000000109 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE notification_settings ADD COLUMN silences jsonb NOT NULL DEFAULT '[]'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE notification_settings DROP COLUMN silences');
  }
}
