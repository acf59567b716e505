import type { MigrationInterface, QueryRunner } from 'typeorm';

const SYSTEM = `(SELECT current_setting('armature.user', true) = 'system')`;
const USER = `(SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)`;
const ADMIN_OF = `organization_id = ANY (ARRAY(SELECT organizations_of(${USER}, 5)))`;
const READS = `${ADMIN_OF} OR workspace_id IN (SELECT granted_resources(${USER}, 'workspace'))`;
const WRITES = `${ADMIN_OF} OR workspace_id IN (SELECT granted_resources(${USER}, 'workspace', 3))`;

const secure = (table: string): string => `
  ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
  CREATE POLICY reading ON ${table} FOR SELECT USING (${READS} OR ${SYSTEM});
  CREATE POLICY adding ON ${table} FOR INSERT WITH CHECK (${WRITES} OR ${SYSTEM});
  CREATE POLICY changing ON ${table} FOR UPDATE USING (${READS} OR ${SYSTEM}) WITH CHECK (${WRITES} OR ${SYSTEM});
  CREATE POLICY removing ON ${table} FOR DELETE USING (${WRITES} OR ${SYSTEM});
  CREATE TRIGGER stays_where_it_is BEFORE UPDATE OF id, organization_id, workspace_id ON ${table} FOR EACH ROW
    WHEN (OLD.id IS DISTINCT FROM NEW.id OR OLD.organization_id IS DISTINCT FROM NEW.organization_id
      OR OLD.workspace_id IS DISTINCT FROM NEW.workspace_id)
    EXECUTE FUNCTION stays_where_it_is();`;

/** Performance profiles, their runs and results. Headers, cookies and bodies of requests are sealed. */
export class Performance1764000000049 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE performance_profile (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        workspace_id uuid NOT NULL REFERENCES workspace,
        name text NOT NULL,
        user_id uuid NOT NULL REFERENCES app_user,
        service_mesh text NOT NULL DEFAULT '',
        load_generators text[] NOT NULL DEFAULT '{}',
        endpoints text[] NOT NULL,
        concurrent_request integer NOT NULL,
        qps integer NOT NULL,
        duration text NOT NULL,
        protocol text NOT NULL,
        method text NOT NULL,
        load_model text NOT NULL,
        content_type text NOT NULL DEFAULT '',
        header_names text[] NOT NULL DEFAULT '{}',
        cookie_names text[] NOT NULL DEFAULT '{}',
        content bytea NOT NULL,
        metadata jsonb NOT NULL DEFAULT '{}',
        budget jsonb,
        schedule jsonb,
        scheduled_by uuid REFERENCES app_user,
        next_run_at timestamptz(3),
        metrics_connection_id uuid REFERENCES connection,
        metrics_queries text[] NOT NULL DEFAULT '{}',
        last_run timestamptz(3),
        total_results integer NOT NULL DEFAULT 0,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1
      );
      CREATE INDEX performance_profile_created ON performance_profile (organization_id, created_at, id) WHERE deleted_at IS NULL;
      CREATE INDEX performance_profile_workspace ON performance_profile (workspace_id, created_at, id) WHERE deleted_at IS NULL;
      CREATE INDEX performance_profile_due ON performance_profile (next_run_at)
        WHERE next_run_at IS NOT NULL AND deleted_at IS NULL;
      ${secure('performance_profile')}

      CREATE TABLE performance_run (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        workspace_id uuid NOT NULL REFERENCES workspace,
        profile_id uuid NOT NULL REFERENCES performance_profile,
        user_id uuid NOT NULL REFERENCES app_user,
        name text NOT NULL,
        trigger text NOT NULL,
        status text NOT NULL DEFAULT 'queued',
        mesh text NOT NULL DEFAULT '',
        generator text,
        plan jsonb NOT NULL,
        progress jsonb,
        error jsonb,
        summary jsonb,
        runner_results jsonb,
        budget jsonb,
        measurement jsonb,
        server_metrics jsonb,
        test_start_time timestamptz(3),
        finished_at timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1,
        CONSTRAINT performance_run_status_check CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled'))
      );
      CREATE INDEX performance_run_created ON performance_run (organization_id, created_at, id) WHERE deleted_at IS NULL;
      CREATE INDEX performance_run_workspace ON performance_run (workspace_id, created_at, id) WHERE deleted_at IS NULL;
      CREATE INDEX performance_run_profile ON performance_run (profile_id, created_at, id) WHERE deleted_at IS NULL;
      CREATE INDEX performance_run_unfinished ON performance_run (organization_id) WHERE finished_at IS NULL;
      ${secure('performance_run')}
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE performance_run; DROP TABLE performance_profile');
  }
}
