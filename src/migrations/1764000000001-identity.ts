import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Identity1764000000001 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE EXTENSION IF NOT EXISTS pg_trgm;

      CREATE TABLE app_user (
        id uuid PRIMARY KEY,
        email text NOT NULL,
        first_name text NOT NULL DEFAULT '',
        last_name text NOT NULL DEFAULT '',
        password_hash text,
        installation_admin boolean NOT NULL DEFAULT false,
        default_organization_id uuid,
        deactivated_at timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1
      );
      CREATE UNIQUE INDEX app_user_email ON app_user (email) WHERE deleted_at IS NULL;

      CREATE TABLE organization (
        id uuid PRIMARY KEY,
        name text NOT NULL,
        description text NOT NULL DEFAULT '',
        owner uuid NOT NULL REFERENCES app_user,
        metadata jsonb NOT NULL DEFAULT '{}',
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1
      );
      CREATE UNIQUE INDEX organization_name ON organization (lower(name)) WHERE deleted_at IS NULL;

      CREATE TABLE organization_member (
        organization_id uuid NOT NULL REFERENCES organization,
        user_id uuid NOT NULL REFERENCES app_user,
        role smallint NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (organization_id, user_id)
      );
      CREATE INDEX organization_member_user ON organization_member (user_id);

      CREATE TABLE session (
        id uuid PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES app_user,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        expires_at timestamptz(3) NOT NULL,
        ended_at timestamptz(3)
      );
      CREATE INDEX session_of_user ON session (user_id);

      CREATE TABLE refresh_token (
        hash bytea PRIMARY KEY,
        session_id uuid NOT NULL REFERENCES session ON DELETE CASCADE,
        used_at timestamptz(3)
      );
      CREATE INDEX refresh_token_session ON refresh_token (session_id);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE refresh_token, session, organization_member, organization, app_user');
  }
}
