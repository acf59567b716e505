import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Entries are asked for by who acted, or on whose behalf: without an index of the second the first is of no use. */
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
