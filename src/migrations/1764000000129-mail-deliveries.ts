import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Jobs share the places of a queue by a key of their own, and invitations show the delivery of their mail. */
export class MailDeliveries1764000000129 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE job ADD COLUMN share_key text');
    await queryRunner.query(
      `ALTER TABLE invitation ADD COLUMN delivery_status text CONSTRAINT invitation_delivery_status_check
         CHECK (delivery_status IN ('sent', 'deferred', 'failed')),
         ADD COLUMN delivery_reason text, ADD COLUMN delivery_at timestamptz(3)`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'ALTER TABLE invitation DROP COLUMN delivery_status, DROP COLUMN delivery_reason, DROP COLUMN delivery_at',
    );
    await queryRunner.query('ALTER TABLE job DROP COLUMN share_key');
  }
}
