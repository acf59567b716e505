import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Records who entered the secret of a credential: only they may send it to another server without entering it again. */
export class CredentialEnteredBy1764000000103 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE credential ADD COLUMN entered_by uuid REFERENCES app_user');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE credential DROP COLUMN entered_by');
  }
}
