import type { MigrationInterface, QueryRunner } from 'typeorm';

const SYSTEM = `(SELECT current_setting('armature.user', true) = 'system')`;
const USER = `(SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)`;

// Asked through the functions of migration 3: a connection plans those once, and the view anew wherever a statement names it.
const organizations = (leastRole: number): string =>
  `organization_id = ANY (ARRAY(SELECT organizations_of(${USER}, ${leastRole})))`;
const MEMBER_OF = organizations(1);
// Most administer one organization: a row is compared with that one in half the time of a look into a list.
const ADMIN_OF = `organization_id = (SELECT organizations_of(${USER}, 5) LIMIT 1) OR ${organizations(5)}`;
const granted = (column: string, type: string): string => `${column} IN (SELECT granted_resources(${USER}, '${type}'))`;

/** Whose rows each tenant table shows, beside the system. Every sub-query stands alone, so it is asked once for a statement. */
const RULES: Record<string, string> = {
  environment: `${ADMIN_OF} OR ${granted('id', 'environment')}`,
  connection: `${ADMIN_OF} OR ${granted('id', 'connection')}`,
  credential: ADMIN_OF,
  // Who makes a workspace becomes its admin only once the row is there.
  workspace: `${ADMIN_OF} OR ${granted('id', 'workspace')} OR owner = ${USER}`,
  design: `${ADMIN_OF} OR ${granted('workspace_id', 'workspace')} OR (visibility <> 'workspace' AND ${MEMBER_OF})`,
  deployment: `${ADMIN_OF} OR ${granted('workspace_id', 'workspace')}`,
  environment_connection: MEMBER_OF,
  workspace_environment: MEMBER_OF,
  design_version: MEMBER_OF,
  deployed_design: MEMBER_OF,
  deployment_plan: MEMBER_OF,
  // Whoever leaves an organization still tells of it.
  event: `organization_id IS NULL OR user_id = ${USER} OR ${MEMBER_OF}`,
};

/** The second lock on tenant tables: it holds when a service forgets to ask. The owner of the tables (migrations, and views) is not bound by it. */
export class RowSecurity1764000000008 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    // A view asks as its owner: that a workspace is active may be known to those who do not see the workspace.
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
