import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Designs1764000000004 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE design (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        workspace_id uuid NOT NULL REFERENCES workspace,
        name text NOT NULL,
        user_id uuid NOT NULL REFERENCES app_user,
        visibility text NOT NULL DEFAULT 'workspace',
        source_type text NOT NULL,
        version_number integer NOT NULL DEFAULT 1,
        version text NOT NULL,
        location jsonb NOT NULL DEFAULT '{}',
        catalog_data jsonb NOT NULL DEFAULT '{}',
        unsupported text NOT NULL DEFAULT '',
        deployment_count integer NOT NULL DEFAULT 0,
        clone_count integer NOT NULL DEFAULT 0,
        download_count integer NOT NULL DEFAULT 0,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1
      );
      CREATE INDEX design_created ON design (organization_id, created_at, id) WHERE deleted_at IS NULL;
      CREATE INDEX design_workspace ON design (workspace_id, created_at, id) WHERE deleted_at IS NULL;
      CREATE INDEX design_search ON design USING gin (name gin_trgm_ops);

      CREATE TABLE design_version (
        design_id uuid NOT NULL REFERENCES design,
        organization_id uuid NOT NULL REFERENCES organization,
        number integer NOT NULL,
        version text NOT NULL,
        user_id uuid NOT NULL REFERENCES app_user,
        message text NOT NULL DEFAULT '',
        content bytea NOT NULL,
        source bytea,
        source_name text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (design_id, number)
      );

      CREATE TABLE deployment (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        workspace_id uuid NOT NULL REFERENCES workspace,
        design_id uuid NOT NULL REFERENCES design,
        design_version integer NOT NULL,
        environment_id uuid NOT NULL REFERENCES environment,
        connection_ids uuid[] NOT NULL,
        name text NOT NULL,
        action text NOT NULL,
        status text NOT NULL,
        requested_by uuid REFERENCES app_user,
        approved_by uuid REFERENCES app_user,
        job_id uuid,
        options jsonb NOT NULL DEFAULT '{}',
        resources jsonb NOT NULL DEFAULT '[]',
        failure jsonb,
        started_at timestamptz(3),
        finished_at timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1
      );
      CREATE INDEX deployment_created ON deployment (organization_id, created_at, id);
      CREATE INDEX deployment_design ON deployment (design_id, created_at, id);
      CREATE INDEX deployment_workspace ON deployment (workspace_id, created_at, id);

      CREATE TABLE deployed_design (
        design_id uuid NOT NULL REFERENCES design,
        connection_id uuid NOT NULL REFERENCES connection,
        environment_id uuid NOT NULL,
        organization_id uuid NOT NULL REFERENCES organization,
        workspace_id uuid NOT NULL REFERENCES workspace,
        deployment_id uuid NOT NULL REFERENCES deployment,
        design_version integer NOT NULL,
        objects jsonb NOT NULL DEFAULT '[]',
        PRIMARY KEY (design_id, connection_id, environment_id)
      );
      CREATE INDEX deployed_design_connection ON deployed_design (connection_id);
      CREATE INDEX deployed_design_workspace ON deployed_design (workspace_id);

      CREATE TABLE deployment_plan (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        design_id uuid NOT NULL REFERENCES design,
        design_version integer NOT NULL,
        environment_id uuid NOT NULL REFERENCES environment,
        connection_ids uuid[] NOT NULL,
        options jsonb NOT NULL DEFAULT '{}',
        fingerprints jsonb NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE INDEX deployment_plan_age ON deployment_plan (created_at);

      CREATE TABLE installation (
        id uuid PRIMARY KEY,
        only_one boolean NOT NULL DEFAULT true UNIQUE CHECK (only_one)
      );
      INSERT INTO installation (id) VALUES (gen_random_uuid());
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'DROP TABLE installation, deployment_plan, deployed_design, deployment, design_version, design',
    );
  }
}
