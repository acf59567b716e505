import type { MigrationInterface, QueryRunner } from 'typeorm';

const INSTALLATION = "'00000000-0000-0000-0000-000000000000'::uuid";

/** The events of a feed by number, with a condition that can use an index under row-level security: `coalesce` is not leakproof. */
export class EventFeed1764000000064 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE UNIQUE INDEX event_feed
        ON event ((CASE WHEN organization_id IS NULL THEN ${INSTALLATION} ELSE organization_id END), sequence);
      DROP INDEX event_sequence;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE UNIQUE INDEX event_sequence ON event (coalesce(organization_id, ${INSTALLATION}), sequence);
      DROP INDEX event_feed;
    `);
  }
}
