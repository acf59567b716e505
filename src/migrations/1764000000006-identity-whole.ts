import type { MigrationInterface, QueryRunner } from 'typeorm';

const RECORD = `
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  revision integer NOT NULL DEFAULT 1`;

/** Service accounts and users of an external issuer, invitations, teams and their roles, tokens, forgotten passwords. */
export class IdentityWhole1764000000006 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER TABLE app_user
        ADD kind text NOT NULL DEFAULT 'person' CHECK (kind IN ('person', 'service')),
        ADD organization_id uuid REFERENCES organization,
        ADD issuer text,
        ADD subject text,
        ADD CONSTRAINT app_user_of_organization CHECK ((kind = 'service') = (organization_id IS NOT NULL)),
        ADD CONSTRAINT app_user_of_issuer CHECK ((issuer IS NULL) = (subject IS NULL));
      CREATE UNIQUE INDEX app_user_identity ON app_user (issuer, subject) WHERE issuer IS NOT NULL;
      CREATE INDEX app_user_service ON app_user (organization_id, created_at, id) WHERE organization_id IS NOT NULL;

      CREATE TABLE invitation (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        email text NOT NULL,
        role smallint NOT NULL,
        first_name text NOT NULL DEFAULT '',
        last_name text NOT NULL DEFAULT '',
        token_hash bytea NOT NULL UNIQUE,
        invited_by uuid REFERENCES app_user,
        expires_at timestamptz(3) NOT NULL,
        accepted_at timestamptz(3),
        ${RECORD}
      );
      CREATE UNIQUE INDEX invitation_open ON invitation (organization_id, email)
        WHERE accepted_at IS NULL AND deleted_at IS NULL;
      CREATE INDEX invitation_email ON invitation (email) WHERE accepted_at IS NULL AND deleted_at IS NULL;

      CREATE TABLE team (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        name text NOT NULL,
        description text NOT NULL DEFAULT '',
        ${RECORD}
      );
      CREATE UNIQUE INDEX team_name ON team (organization_id, lower(name)) WHERE deleted_at IS NULL;

      CREATE TABLE team_member (
        team_id uuid NOT NULL REFERENCES team,
        user_id uuid NOT NULL REFERENCES app_user,
        source text NOT NULL DEFAULT 'manual' CHECK (source IN ('manual', 'groups')),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (team_id, user_id)
      );
      CREATE INDEX team_member_user ON team_member (user_id);

      CREATE TABLE workspace_team (
        workspace_id uuid NOT NULL REFERENCES workspace,
        team_id uuid NOT NULL REFERENCES team,
        role smallint NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (workspace_id, team_id)
      );
      CREATE INDEX workspace_team_team ON workspace_team (team_id);

      CREATE TABLE personal_token (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES app_user,
        name text NOT NULL,
        scopes text[] NOT NULL
          CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY['read', 'write', 'deploy', 'admin']),
        hash bytea NOT NULL UNIQUE,
        expires_at timestamptz(3),
        last_used_at timestamptz(3),
        ${RECORD}
      );
      CREATE INDEX personal_token_user ON personal_token (user_id, created_at, id) WHERE deleted_at IS NULL;

      CREATE TABLE password_reset (
        hash bytea PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES app_user,
        expires_at timestamptz(3) NOT NULL
      );
      CREATE INDEX password_reset_user ON password_reset (user_id);

      ${accessRole(`
        SELECT user_id, workspace_id, role FROM workspace_member
        UNION ALL
        SELECT member.user_id, held.workspace_id, held.role
          FROM workspace_team held
          JOIN team ON team.id = held.team_id AND team.deleted_at IS NULL
          JOIN team_member member ON member.team_id = team.id`)}
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ${accessRole('SELECT user_id, workspace_id, role FROM workspace_member')}
      DROP TABLE password_reset, personal_token, workspace_team, team_member, team, invitation;
      ALTER TABLE app_user DROP subject, DROP issuer, DROP organization_id, DROP kind;
    `);
  }
}

/**
 * The view of roles with these grants. As before, only members of the organization have roles, and in an archived or deleted workspace only
 * admins keep theirs. A deleted organization grants no roles. NOT MATERIALIZED, so that the roles of one user are found by index although
 * the grants are referenced twice.
 */
const accessRole = (grants: string): string => `
  CREATE OR REPLACE VIEW access_role AS
  WITH granted AS NOT MATERIALIZED (
    SELECT g.user_id, w.organization_id, w.id AS workspace_id, g.role
      FROM (${grants}) g
      JOIN workspace w ON w.id = g.workspace_id
      JOIN organization o ON o.id = w.organization_id AND o.deleted_at IS NULL
      JOIN organization_member m ON m.organization_id = w.organization_id AND m.user_id = g.user_id
     WHERE (w.status = 'active' AND w.deleted_at IS NULL) OR g.role >= 4
  ), assigned AS NOT MATERIALIZED (
    SELECT g.user_id, g.organization_id, a.environment_id, g.role
      FROM granted g
      JOIN workspace_environment a ON a.workspace_id = g.workspace_id AND a.deleted_at IS NULL
  )
  SELECT m.user_id, m.organization_id, 'organization'::text AS resource_type, m.organization_id AS resource_id, m.role
    FROM organization_member m JOIN organization o ON o.id = m.organization_id AND o.deleted_at IS NULL
  UNION ALL
  SELECT user_id, organization_id, 'workspace', workspace_id, role FROM granted
  UNION ALL
  SELECT user_id, organization_id, 'environment', environment_id, role FROM assigned
  UNION ALL
  SELECT a.user_id, a.organization_id, 'connection', c.connection_id, a.role
    FROM assigned a JOIN environment_connection c ON c.environment_id = a.environment_id AND c.deleted_at IS NULL;
`;
