import type { MigrationInterface, QueryRunner } from 'typeorm';

const SYSTEM = `(SELECT current_setting('armature.user', true) = 'system')`;
const USER = `(SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)`;
const INSTALLATION = '00000000-0000-0000-0000-000000000000';

const inOrganizations = (column: string, leastRole: number): string =>
  `${column} = ANY (ARRAY(SELECT organizations_of(${USER}, ${leastRole})))`;
const organizations = (leastRole: number): string => inOrganizations('organization_id', leastRole);
const MEMBER_OF = organizations(1);
// Most users administer one organization; comparing with one value takes half the time of searching a list.
const ADMIN_OF = `organization_id = (SELECT organizations_of(${USER}, 5) LIMIT 1) OR ${organizations(5)}`;
const granted = (column: string, type: string): string => `${column} IN (SELECT granted_resources(${USER}, '${type}'))`;
/** A role of at least this rank in the workspace of the row (3 editor, 4 admin), or the administration of its organization. */
const inWorkspace = (column: string, leastRole: number): string =>
  `${ADMIN_OF} OR ${column} IN (SELECT granted_resources(${USER}, 'workspace', ${leastRole}))`;
const editsDesign = `writes_design(${USER}, design_id, organization_id, 3)`;

/** For tables without an organization column: whether the caller may read the record to which the row belongs. */
const seen = (table: string, column: string, more = 'true'): string =>
  `EXISTS (SELECT FROM ${table} holder WHERE holder.id = ${column} AND ${more})`;
const administersWorkspace = `workspace_id IN (SELECT granted_resources(${USER}, 'workspace', 4))
  OR ${seen('workspace', 'workspace_id', inOrganizations('holder.organization_id', 5))}`;
const administersTeam = seen('team', 'team_id', inOrganizations('holder.organization_id', 5));
const OWN = `user_id = ${USER}`;
const NOBODY = 'false';

/** The conditions of the policies of a table, by command. Rows that may be read may also be locked; a changed row must satisfy the condition of writing. */
interface Rule {
  read: string;
  insert: string;
  update: string;
  delete: string;
}

const same = (read: string, write: string): Rule => ({ read, insert: write, update: write, delete: write });

export const RULES: Record<string, Rule> = {
  organization: { ...same(inOrganizations('id', 1), NOBODY), update: inOrganizations('id', 5) },
  organization_member: {
    ...same(`${MEMBER_OF} OR ${OWN}`, `${organizations(5)} AND (role < 6 OR ${organizations(6)})`),
    delete: `${OWN} OR (${organizations(5)} AND (role < 6 OR ${organizations(6)}))`,
  },
  invitation: same(organizations(5), organizations(5)),
  team: same(MEMBER_OF, organizations(5)),
  team_member: {
    ...same(`${seen('team', 'team_id')} OR ${OWN}`, administersTeam),
    delete: `${OWN} OR ${administersTeam}`,
  },
  app_user: {
    ...same(`id = ${USER} OR EXISTS (SELECT FROM organization_member m WHERE m.user_id = app_user.id)`, NOBODY),
    update: `id = ${USER}`,
  },
  session: same(NOBODY, NOBODY),
  refresh_token: same(NOBODY, NOBODY),
  password_reset: same(NOBODY, NOBODY),
  failed_attempt: same(NOBODY, NOBODY),
  known_network: same(NOBODY, NOBODY),
  personal_token: same(OWN, NOBODY),
  environment: same(`${ADMIN_OF} OR ${granted('id', 'environment')}`, ADMIN_OF),
  environment_connection: same(MEMBER_OF, ADMIN_OF),
  connection: same(`${ADMIN_OF} OR ${granted('id', 'connection')}`, ADMIN_OF),
  credential: same(ADMIN_OF, ADMIN_OF),
  // The creator of a workspace becomes its admin only after the row exists.
  workspace: {
    read: `${ADMIN_OF} OR ${granted('id', 'workspace')} OR owner = ${USER}`,
    insert: `owner = ${USER} AND ${MEMBER_OF}`,
    update: inWorkspace('id', 4),
    delete: NOBODY,
  },
  workspace_member: {
    ...same(`${seen('workspace', 'workspace_id')} OR ${OWN}`, administersWorkspace),
    delete: `${OWN} OR ${administersWorkspace}`,
  },
  workspace_team: same(seen('workspace', 'workspace_id'), administersWorkspace),
  workspace_environment: same(MEMBER_OF, inWorkspace('workspace_id', 4)),
  design: same(
    `${ADMIN_OF} OR ${granted('workspace_id', 'workspace')} OR (visibility <> 'workspace' AND ${MEMBER_OF})`,
    inWorkspace('workspace_id', 3),
  ),
  design_version: same(MEMBER_OF, editsDesign),
  snapshot: same(MEMBER_OF, editsDesign),
  publication: same(MEMBER_OF, `writes_design(${USER}, design_id, organization_id, 4)`),
  filter: same(
    `${ADMIN_OF} OR ${granted('workspace_id', 'workspace')} OR (visibility <> 'workspace' AND ${MEMBER_OF})`,
    inWorkspace('workspace_id', 3),
  ),
  deployment: same(`${ADMIN_OF} OR ${granted('workspace_id', 'workspace')}`, inWorkspace('workspace_id', 3)),
  deployed_design: same(MEMBER_OF, NOBODY),
  deployment_change: same(NOBODY, NOBODY),
  deployment_plan: same(MEMBER_OF, editsDesign),
  // Events are inserted by the user who causes them, and are never changed.
  event: {
    ...same(`organization_id IS NULL OR user_id = ${USER} OR ${MEMBER_OF}`, NOBODY),
    insert: `${OWN} AND (organization_id IS NULL OR ${MEMBER_OF})`,
  },
  event_counter: {
    ...same(`feed = '${INSTALLATION}' OR ${inOrganizations('feed', 1)}`, NOBODY),
    insert: `feed = '${INSTALLATION}' OR ${inOrganizations('feed', 1)}`,
    update: `feed = '${INSTALLATION}' OR ${inOrganizations('feed', 1)}`,
  },
  event_read: same(OWN, OWN),
};

/** The previous policies: one condition for reading and writing. */
const BEFORE = [
  ...['environment', 'connection', 'credential', 'workspace', 'design', 'deployment', 'event'],
  ...['environment_connection', 'workspace_environment', 'design_version', 'deployed_design', 'deployment_plan'],
  ...['snapshot', 'publication', 'filter', 'deployment_change'],
];

/** Columns that identify the owner of a row, by table; only the system may change them. */
const PLACES: Record<string, string[]> = {
  app_user: [
    ...['id', 'kind', 'email', 'password_hash', 'installation_admin', 'deactivated_at', 'deleted_at'],
    ...['organization_id', 'issuer', 'subject', 'unconfirmed_by'],
  ],
  ...Object.fromEntries(
    ['design', 'filter', 'deployment', 'workspace_environment'].map((table) => [
      table,
      ['id', 'organization_id', 'workspace_id'],
    ]),
  ),
  ...Object.fromEntries(
    ['workspace', 'environment', 'connection', 'credential', 'environment_connection', 'team', 'invitation'].map(
      (table) => [table, ['id', 'organization_id']],
    ),
  ),
  organization: ['id'],
  organization_member: ['organization_id', 'user_id'],
  team_member: ['team_id', 'user_id'],
  workspace_member: ['workspace_id', 'user_id'],
  workspace_team: ['workspace_id', 'team_id'],
  design_version: ['design_id', 'organization_id', 'number'],
  snapshot: ['design_id', 'organization_id', 'number'],
  publication: ['design_id', 'organization_id'],
};

const publishedFilter = (organizationsThatAre: string): string => `
  DROP POLICY published ON filter;
  CREATE POLICY published ON filter FOR SELECT USING (visibility = 'public' AND deleted_at IS NULL AND ${USER} IS NOT NULL
    AND workspace_id IN (SELECT id FROM active_workspace) AND organization_id IN (${organizationsThatAre}));`;

/**
 * Separate policies for reading, inserting, updating and deleting rows of each table, including those of accounts, memberships and tokens.
 * Sign-in runs as the system.
 */
export class RowSecurityOfWrites1764000000020 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE FUNCTION granted_resources(actor uuid, kind text, needed integer) RETURNS SETOF uuid
        LANGUAGE plpgsql STABLE PARALLEL SAFE SET plan_cache_mode = force_generic_plan AS $$ BEGIN
          RETURN QUERY SELECT resource_id FROM access_role WHERE user_id = actor AND resource_type = kind AND role >= needed;
        END $$;

      -- Asks as the owner of the tables: the policies of designs are not asked again for each version.
      CREATE FUNCTION writes_design(actor uuid, design uuid, organization uuid, needed integer) RETURNS boolean
        LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$ BEGIN
          RETURN EXISTS (SELECT FROM design d WHERE d.id = design AND d.organization_id = organization
            AND (d.organization_id IN (SELECT organizations_of(actor, 5))
              OR d.workspace_id IN (SELECT granted_resources(actor, 'workspace', needed))));
        END $$;

      CREATE FUNCTION stays_where_it_is() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF current_setting('armature.user', true) IS DISTINCT FROM 'system' AND row_security_active(TG_RELID) THEN
            RAISE insufficient_privilege USING MESSAGE = format('a protected column of %s is changed by the system only', TG_TABLE_NAME);
          END IF;
          RETURN NEW;
        END $$;

      -- A view asks as its owner: that an organization exists may be known to those who do not see it.
      CREATE VIEW active_organization AS SELECT id FROM organization WHERE deleted_at IS NULL;
      ${publishedFilter('SELECT id FROM active_organization')}
    `);
    for (const table of BEFORE) await queryRunner.query(`DROP POLICY tenancy ON ${table}`);
    for (const [table, rule] of Object.entries(RULES))
      await queryRunner.query(`
        ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
        CREATE POLICY reading ON ${table} FOR SELECT USING (${rule.read} OR ${SYSTEM});
        CREATE POLICY adding ON ${table} FOR INSERT WITH CHECK (${rule.insert} OR ${SYSTEM});
        CREATE POLICY changing ON ${table} FOR UPDATE USING (${rule.read} OR ${SYSTEM}) WITH CHECK (${rule.update} OR ${SYSTEM});
        CREATE POLICY removing ON ${table} FOR DELETE USING (${rule.delete} OR ${SYSTEM});
      `);
    for (const [table, columns] of Object.entries(PLACES))
      await queryRunner.query(`
        CREATE TRIGGER stays_where_it_is BEFORE UPDATE OF ${columns.join(', ')} ON ${table} FOR EACH ROW
          WHEN (${columns.map((column) => `OLD.${column} IS DISTINCT FROM NEW.${column}`).join(' OR ')})
          EXECUTE FUNCTION stays_where_it_is();
      `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of Object.keys(PLACES)) await queryRunner.query(`DROP TRIGGER stays_where_it_is ON ${table}`);
    for (const [table, { read }] of Object.entries(RULES)) {
      for (const policy of ['reading', 'adding', 'changing', 'removing'])
        await queryRunner.query(`DROP POLICY ${policy} ON ${table}`);
      if (BEFORE.includes(table))
        await queryRunner.query(`CREATE POLICY tenancy ON ${table} USING (${read} OR ${SYSTEM})`);
      else await queryRunner.query(`ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`);
    }
    await queryRunner.query(`
      ${publishedFilter('SELECT id FROM organization WHERE deleted_at IS NULL')}
      DROP VIEW active_organization;
      DROP FUNCTION stays_where_it_is, writes_design, granted_resources(uuid, text, integer);
    `);
  }
}
