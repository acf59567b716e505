import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An index of the requester: entries are searched by actor or requester, and an OR needs an index of both. */
export class AuditOfRequesters1764000000079 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'CREATE INDEX audit_entry_requester ON audit_entry (chain, on_behalf_of, sequence) WHERE on_behalf_of IS NOT NULL',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX audit_entry_requester');
  }
}
