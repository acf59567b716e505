import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The signature of the last entry of each chain, and the version of signing keys: 2 in an installation that has signed the last entries from the
 * start.
 */
export class AuditChainSignatures1764000000076 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE audit_chain ADD COLUMN signature text;
      ALTER TABLE audit_key ADD COLUMN version integer NOT NULL DEFAULT 1;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE audit_key DROP COLUMN version;
      ALTER TABLE audit_chain DROP COLUMN signature;
    `);
  }
}
