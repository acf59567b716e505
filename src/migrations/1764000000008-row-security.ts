import type { MigrationInterface, QueryRunner } from 'typeorm';

const SYSTEM = `(SELECT current_setting('armature.user', true) = 'system')`;
const USER = `(SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)`;

// Uses the functions of migration 3, because a connection plans them once, but the view for each reference in a statement.
const organizations = (leastRole: number): string =>
  `organization_id = ANY (ARRAY(SELECT organizations_of(${USER}, ${leastRole})))`;
const MEMBER_OF = organizations(1);
// Most users administer one organization; comparing with one value takes half the time of searching a list.
const ADMIN_OF = `organization_id = (SELECT organizations_of(${USER}, 5) LIMIT 1) OR ${organizations(5)}`;
const granted = (column: string, type: string): string => `${column} IN (SELECT granted_resources(${USER}, '${type}'))`;

/** The condition of the policy of each tenant table. Sub-queries are uncorrelated, so each runs once per statement. */
const RULES: Record<string, string> = {
  environment: `${ADMIN_OF} OR ${granted('id', 'environment')}`,
  connection: `${ADMIN_OF} OR ${granted('id', 'connection')}`,
  credential: ADMIN_OF,
  // The creator of a workspace becomes its admin only after the row exists.
  workspace: `${ADMIN_OF} OR ${granted('id', 'workspace')} OR owner = ${USER}`,
  design: `${ADMIN_OF} OR ${granted('workspace_id', 'workspace')} OR (visibility <> 'workspace' AND ${MEMBER_OF})`,
  deployment: `${ADMIN_OF} OR ${granted('workspace_id', 'workspace')}`,
  environment_connection: MEMBER_OF,
  workspace_environment: MEMBER_OF,
  design_version: MEMBER_OF,
  deployed_design: MEMBER_OF,
  deployment_plan: MEMBER_OF,
  // The event of leaving an organization is recorded after the membership has ended.
  event: `organization_id IS NULL OR user_id = ${USER} OR ${MEMBER_OF}`,
};

/** Row-level security of tenant tables, in case a service omits a check. It does not apply to the owner of the tables (migrations and views). */
export class RowSecurity1764000000008 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    // A view runs with the rights of its owner: callers who cannot read a workspace may still learn that it is active.
    await queryRunner.query(
      `CREATE VIEW active_workspace AS SELECT id FROM workspace WHERE status = 'active' AND deleted_at IS NULL`,
    );
    for (const [table, rule] of Object.entries(RULES))
      await queryRunner.query(`
        ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
        CREATE POLICY tenancy ON ${table} USING (${rule} OR ${SYSTEM});
      `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of Object.keys(RULES))
      await queryRunner.query(`DROP POLICY tenancy ON ${table}; ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`);
    await queryRunner.query('DROP VIEW active_workspace');
  }
}
