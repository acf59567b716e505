import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES = {
  cluster_resource_name: 'cluster_resource ((lower(name) COLLATE "C"), id)',
  cluster_resource_search: 'cluster_resource USING gin (name gin_trgm_ops)',
  cluster_resource_degraded: `cluster_resource (design_id) WHERE health = 'Degraded' AND design_id IS NOT NULL`,
  deployment_plan_id: `deployment ((options ->> 'plan_id')) WHERE options ? 'plan_id'`,
  deployment_failed: `deployment (organization_id, finished_at) WHERE status IN ('failed', 'rolled_back')`,
};

/** Indexes for the search over everything, for what needs attention, and for the deployments of plans. */
export class NamesAndStates1764000000152 implements MigrationInterface {
  readonly name = 'NamesAndStates1764000000152';
  /** An index is built concurrently outside of a transaction. */
  readonly transaction = false;
  /** The digest of `src/database/sql` since this migration. */
  readonly scripts = 'c8c94d9a1b31c67f97407e4c110ebb0bcbccd61e4f2ad74162bfd7ac71392e9b';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [name, index] of Object.entries(INDEXES)) {
      // A build that was interrupted leaves an index that is not valid.
      await queryRunner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
      await queryRunner.query(`CREATE INDEX CONCURRENTLY ${name} ON ${index}`);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await queryRunner.query(`DROP INDEX ${name}`);
  }
}
