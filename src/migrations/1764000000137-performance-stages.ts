import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rates with fractions that change in stages, the time-out of requests, the baseline of a profile, and the restarts of a run. */
export class PerformanceStages1764000000137 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE performance_profile
        ALTER COLUMN qps TYPE double precision,
        ADD COLUMN stages jsonb NOT NULL DEFAULT '[]',
        ADD COLUMN timeout text NOT NULL DEFAULT '10s',
        ADD COLUMN baseline_id uuid;
      ALTER TABLE performance_run ADD COLUMN restarts integer NOT NULL DEFAULT 0;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE performance_run DROP COLUMN restarts;
      ALTER TABLE performance_profile
        DROP COLUMN baseline_id, DROP COLUMN timeout, DROP COLUMN stages,
        ALTER COLUMN qps TYPE integer;
    `);
  }
}
