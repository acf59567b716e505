import type { MigrationInterface, QueryRunner } from 'typeorm';

const SYSTEM = `(SELECT current_setting('armature.user', true) = 'system')`;
const USER = `(SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)`;
const ADMIN_OF = `organization_id = (SELECT organizations_of(${USER}, 5) LIMIT 1)
  OR organization_id = ANY (ARRAY(SELECT organizations_of(${USER}, 5)))`;
const READERS = `${ADMIN_OF} OR connection_id IN (SELECT granted_resources(${USER}, 'connection'))`;

const policies = (table: string): string => `
  ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
  CREATE POLICY reading ON ${table} FOR SELECT USING (${READERS} OR ${SYSTEM});
  CREATE POLICY adding ON ${table} FOR INSERT WITH CHECK (${SYSTEM});
  CREATE POLICY changing ON ${table} FOR UPDATE USING (${SYSTEM});
  CREATE POLICY removing ON ${table} FOR DELETE USING (${SYSTEM});
`;

/** The objects of connected clusters, updated by a watch of each cluster, and the process that watches. */
export class ClusterResources1764000000037 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE cluster_watch (
        connection_id uuid PRIMARY KEY REFERENCES connection ON DELETE CASCADE,
        organization_id uuid NOT NULL REFERENCES organization,
        worker text,
        lease_until timestamptz(3),
        status text NOT NULL DEFAULT 'starting',
        error text,
        cluster_uid text,
        kinds integer NOT NULL DEFAULT 0,
        missing jsonb NOT NULL DEFAULT '[]',
        synced_at timestamptz(3),
        resync text,
        updated_at timestamptz(3) NOT NULL DEFAULT now()
      );

      CREATE TABLE cluster_resource (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        connection_id uuid NOT NULL REFERENCES connection ON DELETE CASCADE,
        api_version text NOT NULL,
        kind text NOT NULL,
        namespace text NOT NULL,
        name text NOT NULL,
        uid text NOT NULL,
        owner_uid text,
        resource_version text NOT NULL,
        labels jsonb NOT NULL,
        health text,
        health_message text,
        installation_id uuid,
        design_id uuid,
        environment_id uuid,
        applied_digest text,
        content jsonb NOT NULL,
        omitted text[] NOT NULL,
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL
      );
      -- Contents are read one at a time: lists and counts pass over rows without them.
      ALTER TABLE cluster_resource SET (toast_tuple_target = 256);
      CREATE UNIQUE INDEX cluster_resource_object ON cluster_resource (connection_id, kind, namespace, name, api_version);
      CREATE INDEX cluster_resource_created ON cluster_resource (organization_id, created_at, id);
      CREATE INDEX cluster_resource_connection ON cluster_resource (connection_id, created_at, id);
      CREATE INDEX cluster_resource_uid ON cluster_resource (connection_id, uid);
      CREATE INDEX cluster_resource_owner ON cluster_resource (connection_id, owner_uid) WHERE owner_uid IS NOT NULL;
      CREATE INDEX cluster_resource_design ON cluster_resource (design_id) WHERE design_id IS NOT NULL;
      CREATE INDEX cluster_resource_labels ON cluster_resource USING gin (labels jsonb_path_ops);
      ${policies('cluster_watch')}
      ${policies('cluster_resource')}
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE cluster_resource, cluster_watch');
  }
}
