import type { MigrationInterface, QueryRunner } from 'typeorm';

const RECORD = `
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  revision integer NOT NULL DEFAULT 1`;

/** Creates a function that queries the view of roles. The body is resolved at the first call, so the view may be created later. */
const question = (signature: string, result: string, body: string): string => `
  CREATE FUNCTION ${signature} RETURNS ${result}
    LANGUAGE plpgsql STABLE PARALLEL SAFE SET plan_cache_mode = force_generic_plan AS $$ BEGIN ${body}; END $$;`;

/**
 * The queries of `core/access` on the view `access_role`, as functions, because each connection plans a function once. Planning the view takes
 * several milliseconds for each reference in a statement, more than executing it. 5 is the role `organization_admin`.
 */
const QUESTIONS = [
  question(
    'organizations_of(actor uuid, needed integer)',
    'SETOF uuid',
    `RETURN QUERY SELECT resource_id FROM access_role
       WHERE user_id = actor AND resource_type = 'organization' AND role >= needed`,
  ),
  question(
    'granted_resources(actor uuid, kind text)',
    'SETOF uuid',
    `RETURN QUERY SELECT resource_id FROM access_role WHERE user_id = actor AND resource_type = kind`,
  ),
  question(
    'role_on(actor uuid, organization uuid, kind text, resource uuid)',
    'smallint',
    `RETURN (SELECT max(role) FROM access_role
       WHERE user_id = actor
         AND ((resource_type = 'organization' AND resource_id = organization AND (role >= 5 OR kind = 'organization'))
           OR (resource_type = kind AND resource_id = resource)))`,
  ),
].join('');

export class Infrastructure1764000000003 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE credential (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        name text NOT NULL,
        type text NOT NULL,
        owner uuid NOT NULL REFERENCES app_user,
        secret bytea NOT NULL,
        ${RECORD}
      );
      CREATE UNIQUE INDEX credential_name ON credential (organization_id, lower(name)) WHERE deleted_at IS NULL;

      CREATE TABLE connection (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        name text NOT NULL,
        kind text NOT NULL,
        type text NOT NULL,
        sub_type text NOT NULL,
        status text NOT NULL,
        metadata jsonb NOT NULL DEFAULT '{}',
        credential_id uuid REFERENCES credential,
        owner uuid NOT NULL REFERENCES app_user,
        fingerprint text,
        ${RECORD}
      );
      CREATE INDEX connection_created ON connection (organization_id, created_at, id) WHERE deleted_at IS NULL;
      CREATE INDEX connection_credential ON connection (credential_id);
      CREATE UNIQUE INDEX connection_fingerprint ON connection (organization_id, fingerprint) WHERE deleted_at IS NULL;
      CREATE INDEX connection_search ON connection USING gin (name gin_trgm_ops);

      CREATE TABLE environment (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        name text NOT NULL,
        description text NOT NULL DEFAULT '',
        owner uuid NOT NULL REFERENCES app_user,
        status text NOT NULL DEFAULT 'active',
        tier text NOT NULL DEFAULT 'development',
        metadata jsonb NOT NULL DEFAULT '{}',
        ${RECORD}
      );
      CREATE INDEX environment_created ON environment (organization_id, created_at, id) WHERE deleted_at IS NULL;
      CREATE INDEX environment_name ON environment (organization_id, name, id) WHERE deleted_at IS NULL;
      CREATE INDEX environment_search ON environment USING gin (name gin_trgm_ops);

      CREATE TABLE environment_connection (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        environment_id uuid NOT NULL REFERENCES environment,
        connection_id uuid NOT NULL REFERENCES connection,
        ${RECORD}
      );
      CREATE UNIQUE INDEX environment_connection_pair
        ON environment_connection (environment_id, connection_id) WHERE deleted_at IS NULL;
      CREATE INDEX environment_connection_other ON environment_connection (connection_id);

      CREATE TABLE workspace (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        name text NOT NULL,
        description text NOT NULL DEFAULT '',
        owner uuid NOT NULL REFERENCES app_user,
        status text NOT NULL DEFAULT 'active',
        metadata jsonb NOT NULL DEFAULT '{}',
        personal_of uuid REFERENCES app_user,
        ${RECORD}
      );
      CREATE INDEX workspace_created ON workspace (organization_id, created_at, id) WHERE deleted_at IS NULL;
      CREATE UNIQUE INDEX workspace_personal ON workspace (organization_id, personal_of) WHERE deleted_at IS NULL AND personal_of IS NOT NULL;
      CREATE INDEX workspace_search ON workspace USING gin (name gin_trgm_ops);

      CREATE TABLE workspace_member (
        workspace_id uuid NOT NULL REFERENCES workspace,
        user_id uuid NOT NULL REFERENCES app_user,
        role smallint NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (workspace_id, user_id)
      );
      CREATE INDEX workspace_member_user ON workspace_member (user_id);

      CREATE TABLE workspace_environment (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        workspace_id uuid NOT NULL REFERENCES workspace,
        environment_id uuid NOT NULL REFERENCES environment,
        ${RECORD}
      );
      CREATE UNIQUE INDEX workspace_environment_pair
        ON workspace_environment (workspace_id, environment_id) WHERE deleted_at IS NULL;
      CREATE INDEX workspace_environment_other ON workspace_environment (environment_id);

      ${QUESTIONS}
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP FUNCTION organizations_of, granted_resources, role_on');
    await queryRunner.query(
      'DROP TABLE workspace_environment, workspace_member, workspace, environment_connection, environment, connection, credential',
    );
  }
}
