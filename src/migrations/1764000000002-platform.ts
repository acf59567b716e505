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
        position bigint GENERATED ALWAYS AS IDENTITY,
        queue text NOT NULL,
        payload jsonb NOT NULL DEFAULT '{}',
        status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
        progress jsonb,
        result jsonb,
        error jsonb,
        organization_id uuid REFERENCES organization,
        requested_by uuid REFERENCES app_user,
        serial_key text,
        run_at timestamptz NOT NULL DEFAULT now(),
        attempt integer NOT NULL DEFAULT 0,
        failures integer NOT NULL DEFAULT 0,
        losses integer NOT NULL DEFAULT 0,
        most_attempts integer NOT NULL DEFAULT 1,
        most_takes integer NOT NULL DEFAULT 3,
        worker uuid,
        lease_until timestamptz,
        cancel_requested boolean NOT NULL DEFAULT false,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        finished_at timestamptz(3)
      );
      CREATE INDEX job_ready ON job (queue, run_at, position) WHERE status = 'queued';
      CREATE INDEX job_running ON job (worker) WHERE status = 'running';
      CREATE UNIQUE INDEX job_serial_running ON job (serial_key) WHERE status = 'running';
      CREATE INDEX job_serial_queued ON job (serial_key, position) WHERE status = 'queued' AND serial_key IS NOT NULL;
      CREATE INDEX job_finished ON job (finished_at) WHERE finished_at IS NOT NULL;

      CREATE TABLE event_counter (
        feed uuid PRIMARY KEY,
        last bigint NOT NULL
      );

      CREATE TABLE event (
        id uuid PRIMARY KEY,
        sequence bigint NOT NULL,
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
      CREATE UNIQUE INDEX event_sequence
        ON event (coalesce(organization_id, '00000000-0000-0000-0000-000000000000'::uuid), sequence);
      CREATE INDEX event_created ON event (created_at, id);
      CREATE INDEX event_organization ON event (organization_id, created_at, id);
      CREATE INDEX event_workspace ON event (workspace_id, created_at, id) WHERE workspace_id IS NOT NULL;
      CREATE INDEX event_subject ON event (acted_upon, created_at, id);

      CREATE TABLE event_read (
        event_id uuid NOT NULL REFERENCES event ON DELETE CASCADE,
        user_id uuid NOT NULL REFERENCES app_user,
        PRIMARY KEY (event_id, user_id)
      );
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE event_read, event, event_counter, job, idempotency_key, data_key');
  }
}
