import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Functions of triggers by their former and their present name. */
const RENAMED = {
  stays_where_it_is: 'assert_scope_unchanged',
  tell_membership: 'notify_membership',
  tell_memberships: 'notify_memberships',
};

/**
 * Renames the functions, which triggers alone call, so that none of the version before misses them. A new database has
 * them under their present names, from `src/database/sql`, which also renames the triggers and policies.
 */
export class NamesOfFunctions1764000000148 implements MigrationInterface {
  readonly name = 'NamesOfFunctions1764000000148';
  /** The digest of `src/database/sql` since this migration. */
  readonly scripts = 'b77e64e950238e592646e242f7d4450807f955a56c0eaec03ee638afdbc55041';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [former, present] of Object.entries(RENAMED)) await rename(queryRunner, former, present);
    // Which migration the audit was attached after is recorded in applied_script.
    await queryRunner.query(`
      DO $$ BEGIN
        IF to_regproc('audit_attach') IS NOT NULL THEN COMMENT ON FUNCTION audit_attach() IS NULL; END IF;
      END $$`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const [former, present] of Object.entries(RENAMED)) await rename(queryRunner, present, former);
  }
}

const rename = (queryRunner: QueryRunner, from: string, to: string): Promise<unknown> =>
  queryRunner.query(`
    DO $$ BEGIN
      IF to_regproc('${from}') IS NOT NULL THEN ALTER FUNCTION ${from}() RENAME TO ${to}; END IF;
    END $$`);
