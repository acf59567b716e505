import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Owners that have a design are found without an entry for each other object. */
export class ResourcesOfDesigns1764000000155 implements MigrationInterface {
  readonly name = 'ResourcesOfDesigns1764000000155';
  /** An index is built concurrently outside of a transaction. */
  readonly transaction = false;
  /** The digest of `src/database/sql` since this migration. */
  readonly scripts = 'c8c94d9a1b31c67f97407e4c110ebb0bcbccd61e4f2ad74162bfd7ac71392e9b';

  async up(queryRunner: QueryRunner): Promise<void> {
    // A build that was interrupted leaves an index that is not valid.
    await queryRunner.query('DROP INDEX CONCURRENTLY IF EXISTS cluster_resource_designed');
    await queryRunner.query(
      'CREATE INDEX CONCURRENTLY cluster_resource_designed ON cluster_resource (connection_id, uid) WHERE design_id IS NOT NULL',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX cluster_resource_designed');
  }
}
