import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Platform1764000000002 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE data_key (
        id uuid PRIMARY KEY,
        organization_id uuid REFERENCES organization,
        wrapped bytea NOT NULL,
        key_id text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE UNIQUE INDEX data_key_organization
        ON data_key (coalesce(organization_id, '00000000-0000-0000-0000-000000000000'::uuid));

      CREATE TABLE idempotency_key (
        caller text NOT NULL,
        route text NOT NULL,
        key text NOT NULL,
        digest text NOT NULL,
        answer bytea,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (caller, route, key)
      );
      CREATE INDEX idempotency_key_age ON idempotency_key (created_at);

      CREATE TABLE job (
        id uuid PRIMARY KEY,
        queue text NOT NULL,
        payload jsonb NOT NULL DEFAULT '{}',
        status text NOT NULL DEFAULT 'queued',
        progress jsonb,
        result jsonb,
        error jsonb,
        organization_id uuid REFERENCES organization,
        requested_by uuid REFERENCES app_user,
        serial_key text,
        run_at timestamptz NOT NULL DEFAULT now(),
        attempts integer NOT NULL DEFAULT 0,
        most_attempts integer NOT NULL DEFAULT 1,
        lease_until timestamptz,
        worker uuid,
        cancel_requested boolean NOT NULL DEFAULT false,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        finished_at timestamptz(3)
      );
      CREATE INDEX job_ready ON job (queue, run_at, id) WHERE status IN ('queued', 'running');
      CREATE INDEX job_serial ON job (serial_key) WHERE status = 'running' AND serial_key IS NOT NULL;
      CREATE INDEX job_finished ON job (finished_at) WHERE finished_at IS NOT NULL;

      CREATE TABLE event_counter (
        organization_id uuid PRIMARY KEY REFERENCES organization,
        last bigint NOT NULL DEFAULT 0
      );

      CREATE TABLE event (
        id uuid PRIMARY KEY,
        sequence bigint,
        organization_id uuid REFERENCES organization,
        workspace_id uuid,
        user_id uuid REFERENCES app_user,
        system_actor text,
        acted_upon uuid NOT NULL,
        operation_id uuid,
        category text NOT NULL,
        action text NOT NULL,
        severity text NOT NULL,
        description text NOT NULL,
        metadata jsonb NOT NULL DEFAULT '{}',
        created_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE UNIQUE INDEX event_sequence ON event (organization_id, sequence) WHERE organization_id IS NOT NULL;
      CREATE INDEX event_created ON event (created_at, id);
      CREATE INDEX event_workspace ON event (workspace_id, sequence) WHERE workspace_id IS NOT NULL;
      CREATE INDEX event_subject ON event (acted_upon, created_at);

      CREATE TABLE event_read (
        event_id uuid NOT NULL REFERENCES event ON DELETE CASCADE,
        user_id uuid NOT NULL REFERENCES app_user,
        PRIMARY KEY (user_id, event_id)
      );
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE event_read, event, event_counter, job, idempotency_key, data_key');
  }
}
