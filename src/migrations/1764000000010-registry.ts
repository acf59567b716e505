import type { MigrationInterface, QueryRunner } from 'typeorm';

const RECORD = `
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  revision integer NOT NULL DEFAULT 1`;

export class Registry1764000000010 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE registrant (
        id uuid PRIMARY KEY,
        hostname text NOT NULL,
        kind text NOT NULL,
        status text NOT NULL DEFAULT 'registered',
        ${RECORD}
      );
      CREATE UNIQUE INDEX registrant_identity ON registrant (kind, hostname);

      CREATE TABLE model (
        id uuid PRIMARY KEY,
        registrant_id uuid NOT NULL REFERENCES registrant,
        name text NOT NULL,
        version text NOT NULL,
        version_order text COLLATE "C" NOT NULL,
        latest boolean NOT NULL DEFAULT false,
        display_name text NOT NULL,
        description text NOT NULL DEFAULT '',
        category text NOT NULL,
        category_slug text NOT NULL,
        sub_category text NOT NULL DEFAULT '',
        is_annotation boolean NOT NULL DEFAULT false,
        status text NOT NULL DEFAULT 'enabled',
        metadata jsonb NOT NULL DEFAULT '{}',
        rest jsonb NOT NULL DEFAULT '{}',
        digest text NOT NULL,
        components_count integer NOT NULL DEFAULT 0,
        relationships_count integer NOT NULL DEFAULT 0,
        ${RECORD}
      );
      CREATE UNIQUE INDEX model_identity ON model (registrant_id, name, version);
      CREATE INDEX model_name_version ON model (name, version_order);
      CREATE INDEX model_category ON model (category_slug);
      CREATE INDEX model_search ON model USING gin ((name || E'\\n' || display_name) gin_trgm_ops);

      -- Many components have the same schema: each is kept once, under the digest of its text.
      CREATE TABLE component_schema (
        digest text PRIMARY KEY,
        text text NOT NULL
      );

      -- What lists look through is narrow, so that a million rows are searched quickly; the details lie beside the table.
      CREATE TABLE component (
        id uuid PRIMARY KEY,
        model_id uuid NOT NULL REFERENCES model,
        kind text NOT NULL,
        api_version text NOT NULL,
        display_name text NOT NULL,
        is_annotation boolean NOT NULL DEFAULT false,
        status text NOT NULL DEFAULT 'enabled',
        listed boolean NOT NULL DEFAULT true,
        schema_digest text REFERENCES component_schema,
        digest text NOT NULL,
        details jsonb NOT NULL,
        ${RECORD}
      ) WITH (toast_tuple_target = 128);
      CREATE UNIQUE INDEX component_identity ON component (model_id, kind, api_version);
      CREATE INDEX component_kind ON component (kind, id) WHERE listed;
      CREATE INDEX component_kind_version ON component (kind, api_version);
      CREATE INDEX component_display_name ON component (display_name, id) WHERE listed;
      CREATE INDEX component_created ON component (created_at, id) WHERE listed;
      CREATE INDEX component_updated ON component (updated_at, id) WHERE listed;
      CREATE INDEX component_search ON component USING gin ((kind || E'\\n' || display_name) gin_trgm_ops);

      CREATE TABLE relationship (
        id uuid PRIMARY KEY,
        model_id uuid NOT NULL REFERENCES model,
        kind text NOT NULL,
        type text NOT NULL,
        sub_type text NOT NULL,
        status text NOT NULL DEFAULT 'enabled',
        listed boolean NOT NULL DEFAULT true,
        version text NOT NULL,
        selectors jsonb NOT NULL,
        metadata jsonb NOT NULL DEFAULT '{}',
        rest jsonb NOT NULL DEFAULT '{}',
        identity text NOT NULL,
        digest text NOT NULL,
        ${RECORD}
      );
      CREATE UNIQUE INDEX relationship_identity ON relationship (model_id, identity);
      CREATE INDEX relationship_kind ON relationship (kind, id) WHERE listed;

      -- Packages that were registered whole, by the digest of their bytes, with the models as they left them.
      CREATE TABLE registered_package (
        digest text PRIMARY KEY,
        models jsonb NOT NULL,
        result jsonb NOT NULL
      );

      CREATE TABLE connection_definition (
        kind text PRIMARY KEY,
        digest text NOT NULL,
        definition jsonb NOT NULL
      );

      -- Counts the changes of the registry: what answers of everything are compared by.
      CREATE TABLE registry_revision (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        revision bigint NOT NULL DEFAULT 0,
        -- Digest of what a fresh server is given to know.
        seed text
      );
      INSERT INTO registry_revision DEFAULT VALUES;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'DROP TABLE registry_revision, connection_definition, registered_package, relationship, component, component_schema, model, registrant',
    );
  }
}
