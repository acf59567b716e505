import type { QueryRunner } from 'typeorm';
import type { BaselineMigration } from '../core/database/migrate.js';

/**
 * The tables, indexes and first rows of the schema at migration 137; its functions, views, policies and triggers are in
 * `src/database/sql`. A database to which the 71 migrations until 137 were applied is marked as being here.
 */
export class Baseline1764000000137 implements BaselineMigration {
  readonly name = 'Baseline1764000000137';
  readonly replaces = { last: 'PerformanceStages1764000000137', count: 71 };

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(String.raw`
      CREATE EXTENSION IF NOT EXISTS btree_gin;
      CREATE EXTENSION IF NOT EXISTS pg_trgm;
      -- By letter whatever its case and accent, and numbers by value.
      CREATE COLLATION names (provider = icu, locale = 'und-u-kn-true');
      -- Numbers the changes of a transaction for the audit.
      CREATE SEQUENCE audit_change_set;

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
        revision integer NOT NULL DEFAULT 1,
        kind text NOT NULL DEFAULT 'person' CHECK (kind IN ('person', 'service')),
        organization_id uuid,
        issuer text,
        subject text,
        unconfirmed_by uuid REFERENCES app_user,
        CONSTRAINT app_user_of_issuer CHECK ((issuer IS NULL) = (subject IS NULL)),
        CONSTRAINT app_user_of_organization CHECK ((kind = 'service') = (organization_id IS NOT NULL))
      );
      CREATE UNIQUE INDEX app_user_email ON app_user (email) WHERE (deleted_at IS NULL);
      CREATE UNIQUE INDEX app_user_identity ON app_user (issuer, subject) WHERE (issuer IS NOT NULL);
      CREATE INDEX app_user_search ON app_user USING gin (email gin_trgm_ops, (((first_name || ' ') || last_name)) gin_trgm_ops);
      CREATE INDEX app_user_service ON app_user (organization_id, created_at, id) WHERE (organization_id IS NOT NULL);

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
      CREATE UNIQUE INDEX organization_name ON organization (lower(name)) WHERE (deleted_at IS NULL);

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

      CREATE TABLE data_key (
        id uuid PRIMARY KEY,
        organization_id uuid REFERENCES organization,
        wrapped bytea NOT NULL,
        key_id text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        retired_at timestamptz(3)
      );
      CREATE UNIQUE INDEX data_key_organization ON data_key (COALESCE(organization_id, '00000000-0000-0000-0000-000000000000'::uuid)) WHERE (retired_at IS NULL);

      CREATE TABLE idempotency_key (
        caller text NOT NULL,
        route text NOT NULL,
        key text NOT NULL,
        digest text NOT NULL,
        answer bytea,
        created_at timestamptz NOT NULL DEFAULT now(),
        claim uuid,
        lease_until timestamptz NOT NULL DEFAULT (now() + '00:20:00'::interval),
        has_written boolean NOT NULL DEFAULT false,
        PRIMARY KEY (caller, route, key)
      );
      CREATE INDEX idempotency_key_age ON idempotency_key (created_at);

      CREATE TABLE job (
        id uuid PRIMARY KEY,
        position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
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
        finished_at timestamptz(3),
        cancelled_by uuid,
        share_key text
      );
      CREATE INDEX job_finished ON job (finished_at) WHERE (finished_at IS NOT NULL);
      CREATE INDEX job_ready ON job (queue, run_at, "position") WHERE (status = 'queued');
      CREATE INDEX job_running ON job (worker) WHERE (status = 'running');
      CREATE INDEX job_serial_queued ON job (serial_key, "position") WHERE ((status = 'queued') AND (serial_key IS NOT NULL));
      CREATE UNIQUE INDEX job_serial_running ON job (serial_key) WHERE (status = 'running');

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
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        change_set bigint
      );
      CREATE INDEX event_change_set ON event (change_set) WHERE (change_set IS NOT NULL);
      CREATE INDEX event_created ON event (created_at, id);
      CREATE UNIQUE INDEX event_feed ON event (( CASE WHEN (organization_id IS NULL) THEN '00000000-0000-0000-0000-000000000000'::uuid ELSE organization_id END), sequence);
      CREATE INDEX event_organization ON event (organization_id, created_at, id);
      CREATE INDEX event_subject ON event (acted_upon, created_at, id);
      CREATE INDEX event_workspace ON event (workspace_id, created_at, id) WHERE (workspace_id IS NOT NULL);

      CREATE TABLE event_read (
        event_id uuid NOT NULL REFERENCES event ON DELETE CASCADE,
        user_id uuid NOT NULL REFERENCES app_user,
        PRIMARY KEY (event_id, user_id)
      );

      CREATE TABLE credential (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        name text NOT NULL,
        type text NOT NULL,
        owner uuid NOT NULL REFERENCES app_user,
        secret bytea NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1,
        entered_by uuid REFERENCES app_user
      );
      CREATE UNIQUE INDEX credential_name ON credential (organization_id, lower(name)) WHERE (deleted_at IS NULL);
      CREATE INDEX credential_search ON credential USING gin (organization_id, name gin_trgm_ops);

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
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1,
        metadata_secrets bytea
      );
      CREATE INDEX connection_created ON connection (organization_id, created_at, id) WHERE (deleted_at IS NULL);
      CREATE INDEX connection_credential ON connection (credential_id);
      CREATE UNIQUE INDEX connection_fingerprint ON connection (organization_id, fingerprint) WHERE (deleted_at IS NULL);
      CREATE INDEX connection_search ON connection USING gin (organization_id, name gin_trgm_ops);

      CREATE TABLE environment (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        name text NOT NULL,
        description text NOT NULL DEFAULT '',
        owner uuid NOT NULL REFERENCES app_user,
        status text NOT NULL DEFAULT 'active',
        tier text NOT NULL DEFAULT 'development',
        metadata jsonb NOT NULL DEFAULT '{}',
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1,
        required_approvals smallint,
        drift text NOT NULL DEFAULT 'fields'
      );
      CREATE INDEX environment_created ON environment (organization_id, created_at, id) WHERE (deleted_at IS NULL);
      CREATE INDEX environment_name ON environment (organization_id, name, id) WHERE (deleted_at IS NULL);
      CREATE INDEX environment_search ON environment USING gin (organization_id, name gin_trgm_ops);

      CREATE TABLE environment_connection (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        environment_id uuid NOT NULL REFERENCES environment,
        connection_id uuid NOT NULL REFERENCES connection,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1
      );
      CREATE INDEX environment_connection_other ON environment_connection (connection_id);
      CREATE UNIQUE INDEX environment_connection_pair ON environment_connection (environment_id, connection_id) WHERE (deleted_at IS NULL);

      CREATE TABLE workspace (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        name text NOT NULL,
        description text NOT NULL DEFAULT '',
        owner uuid NOT NULL REFERENCES app_user,
        status text NOT NULL DEFAULT 'active',
        metadata jsonb NOT NULL DEFAULT '{}',
        personal_of uuid REFERENCES app_user,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1,
        max_designs integer CHECK (max_designs >= 0),
        max_environments integer CHECK (max_environments >= 0),
        max_members integer CHECK (max_members >= 0),
        max_deployments_per_day integer CHECK (max_deployments_per_day >= 0)
      );
      CREATE INDEX workspace_created ON workspace (organization_id, created_at, id) WHERE (deleted_at IS NULL);
      CREATE UNIQUE INDEX workspace_personal ON workspace (organization_id, personal_of) WHERE ((deleted_at IS NULL) AND (personal_of IS NOT NULL));
      CREATE INDEX workspace_search ON workspace USING gin (organization_id, name gin_trgm_ops);

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
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1
      );
      CREATE INDEX workspace_environment_other ON workspace_environment (environment_id);
      CREATE UNIQUE INDEX workspace_environment_pair ON workspace_environment (workspace_id, environment_id) WHERE (deleted_at IS NULL);

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
        revision integer NOT NULL DEFAULT 1,
        cloned_from jsonb
      );
      CREATE INDEX design_created ON design (organization_id, created_at, id) WHERE (deleted_at IS NULL);
      CREATE INDEX design_search ON design USING gin (organization_id, name gin_trgm_ops);
      CREATE INDEX design_shared ON design (organization_id) WHERE ((visibility = 'organization') AND (deleted_at IS NULL));
      CREATE INDEX design_workspace ON design (workspace_id, created_at, id) WHERE (deleted_at IS NULL);

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
        id uuid NOT NULL,
        source_type text NOT NULL,
        variant_of integer,
        generated bytea,
        generated_for text,
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
        revision integer NOT NULL DEFAULT 1,
        policy_violations jsonb NOT NULL DEFAULT '[]',
        approvals jsonb NOT NULL DEFAULT '[]',
        approval_expires_at timestamptz(3),
        promoted_from uuid REFERENCES deployment,
        clusters jsonb NOT NULL DEFAULT '[]',
        renderings jsonb NOT NULL DEFAULT '{}'
      );
      CREATE INDEX deployment_approval_expiry ON deployment (approval_expires_at) WHERE (status = 'pending_approval');
      CREATE INDEX deployment_created ON deployment (organization_id, created_at, id);
      CREATE INDEX deployment_design ON deployment (design_id, created_at, id);
      CREATE INDEX deployment_search ON deployment USING gin (organization_id, name gin_trgm_ops);
      CREATE INDEX deployment_unfinished ON deployment (workspace_id, design_id) WHERE (finished_at IS NULL);
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
        previous jsonb,
        namespace text,
        PRIMARY KEY (design_id, connection_id, environment_id)
      );
      CREATE INDEX deployed_design_connection ON deployed_design (connection_id);
      CREATE INDEX deployed_design_deployment ON deployed_design (deployment_id);
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
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        current_version integer,
        resources jsonb NOT NULL DEFAULT '[]',
        renderings jsonb NOT NULL DEFAULT '{}'
      );
      CREATE INDEX deployment_plan_age ON deployment_plan (created_at);

      CREATE TABLE installation (
        id uuid PRIMARY KEY,
        only_one boolean NOT NULL DEFAULT true CHECK (only_one) UNIQUE
      );

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
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1,
        proof_hash bytea,
        delivery_status text CHECK (delivery_status IN ('sent', 'deferred', 'failed')),
        delivery_reason text,
        delivery_at timestamptz(3)
      );
      CREATE INDEX invitation_email ON invitation (email) WHERE ((accepted_at IS NULL) AND (deleted_at IS NULL));
      CREATE UNIQUE INDEX invitation_open ON invitation (organization_id, email) WHERE ((accepted_at IS NULL) AND (deleted_at IS NULL));
      CREATE INDEX invitation_sender ON invitation (invited_by) WHERE ((accepted_at IS NULL) AND (deleted_at IS NULL));

      CREATE TABLE team (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        name text NOT NULL,
        description text NOT NULL DEFAULT '',
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1
      );
      CREATE UNIQUE INDEX team_name ON team (organization_id, lower(name)) WHERE (deleted_at IS NULL);
      CREATE INDEX team_search ON team USING gin (organization_id, name gin_trgm_ops);

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
        scopes text[] NOT NULL CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY['read', 'write', 'deploy', 'admin']),
        hash bytea NOT NULL UNIQUE,
        expires_at timestamptz(3),
        last_used_at timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1
      );
      CREATE INDEX personal_token_user ON personal_token (user_id, created_at, id) WHERE (deleted_at IS NULL);

      CREATE TABLE password_reset (
        hash bytea PRIMARY KEY,
        user_id uuid NOT NULL REFERENCES app_user,
        expires_at timestamptz(3) NOT NULL
      );
      CREATE INDEX password_reset_user ON password_reset (user_id);

      CREATE TABLE registrant (
        id uuid PRIMARY KEY,
        hostname text NOT NULL,
        kind text NOT NULL,
        status text NOT NULL DEFAULT 'registered',
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1
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
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1
      );
      CREATE INDEX model_category ON model (category_slug);
      CREATE UNIQUE INDEX model_identity ON model (registrant_id, name, version);
      CREATE INDEX model_name_version ON model (name, version_order);
      CREATE INDEX model_search ON model USING gin ((((name || E'\n') || display_name)) gin_trgm_ops);

      CREATE TABLE component_schema (
        digest text PRIMARY KEY,
        text text NOT NULL
      );

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
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1
      ) WITH (toast_tuple_target=128);
      CREATE INDEX component_created ON component (created_at, id) WHERE listed;
      CREATE INDEX component_display_name ON component (display_name, id) WHERE listed;
      CREATE UNIQUE INDEX component_identity ON component (model_id, kind, api_version);
      CREATE INDEX component_kind ON component (kind, id) WHERE listed;
      CREATE INDEX component_kind_version ON component (kind, api_version);
      CREATE INDEX component_search ON component USING gin ((((kind || E'\n') || display_name)) gin_trgm_ops);
      CREATE INDEX component_updated ON component (updated_at, id) WHERE listed;

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
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1
      );
      CREATE UNIQUE INDEX relationship_identity ON relationship (model_id, identity);
      CREATE INDEX relationship_kind ON relationship (kind, id) WHERE listed;

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

      CREATE TABLE registry_revision (
        singleton boolean DEFAULT true PRIMARY KEY CHECK (singleton),
        revision bigint NOT NULL DEFAULT 0,
        seed text
      );

      CREATE TABLE snapshot (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        design_id uuid NOT NULL,
        number integer NOT NULL,
        name text NOT NULL,
        user_id uuid NOT NULL REFERENCES app_user,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1,
        CONSTRAINT snapshot_design_id_number_fkey FOREIGN KEY (design_id, number) REFERENCES design_version(design_id, number)
      );
      CREATE UNIQUE INDEX snapshot_name ON snapshot (design_id, lower(name)) WHERE (deleted_at IS NULL);

      CREATE TABLE publication (
        design_id uuid PRIMARY KEY REFERENCES design,
        organization_id uuid NOT NULL REFERENCES organization,
        number integer NOT NULL,
        name text NOT NULL,
        version text NOT NULL,
        source_type text NOT NULL,
        unsupported text NOT NULL,
        technologies text[] NOT NULL,
        published_by uuid NOT NULL REFERENCES app_user,
        created_at timestamptz(3) NOT NULL,
        published_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT publication_design_id_number_fkey FOREIGN KEY (design_id, number) REFERENCES design_version(design_id, number)
      );
      CREATE INDEX publication_created ON publication (created_at, design_id);
      CREATE INDEX publication_published ON publication (published_at, design_id);
      CREATE INDEX publication_search ON publication USING gin (name gin_trgm_ops);
      CREATE INDEX publication_technologies ON publication USING gin (technologies);

      CREATE TABLE filter (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        workspace_id uuid NOT NULL REFERENCES workspace,
        name text NOT NULL,
        user_id uuid NOT NULL REFERENCES app_user,
        visibility text NOT NULL DEFAULT 'workspace',
        content bytea NOT NULL,
        resource bytea,
        size integer NOT NULL,
        digest text NOT NULL,
        metadata jsonb NOT NULL DEFAULT '{}',
        location jsonb NOT NULL DEFAULT '{}',
        cloned_from jsonb,
        catalog_data jsonb NOT NULL DEFAULT '{}',
        technologies text[] NOT NULL DEFAULT '{}',
        clone_count integer NOT NULL DEFAULT 0,
        download_count integer NOT NULL DEFAULT 0,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1
      );
      CREATE INDEX filter_catalog ON filter (created_at, id) WHERE ((visibility = 'public') AND (deleted_at IS NULL));
      CREATE INDEX filter_created ON filter (organization_id, created_at, id) WHERE (deleted_at IS NULL);
      CREATE INDEX filter_search ON filter USING gin (organization_id, name gin_trgm_ops);
      CREATE INDEX filter_shared ON filter (organization_id) WHERE ((visibility = 'organization') AND (deleted_at IS NULL));
      CREATE INDEX filter_technologies ON filter USING gin (technologies) WHERE ((visibility = 'public') AND (deleted_at IS NULL));
      CREATE INDEX filter_workspace ON filter (workspace_id, created_at, id) WHERE (deleted_at IS NULL);

      CREATE TABLE deployment_change (
        deployment_id uuid NOT NULL REFERENCES deployment,
        connection_id uuid NOT NULL,
        number integer NOT NULL,
        organization_id uuid NOT NULL REFERENCES organization,
        content bytea NOT NULL,
        PRIMARY KEY (deployment_id, connection_id, number)
      );

      CREATE TABLE failed_attempt (
        key bytea PRIMARY KEY,
        failures integer NOT NULL,
        until timestamptz NOT NULL
      );
      CREATE INDEX failed_attempt_until ON failed_attempt (until);

      CREATE TABLE known_network (
        pair bytea PRIMARY KEY,
        seen_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX known_network_seen ON known_network (seen_at);

      CREATE TABLE record_total (
        id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        record text NOT NULL,
        amount bigint NOT NULL
      );
      CREATE INDEX record_total_of_organization ON record_total (organization_id, record) INCLUDE (amount);

      CREATE TABLE webhook_pause (
        webhook_id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        until timestamptz(3) NOT NULL
      );

      CREATE TABLE environment_freeze (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        environment_id uuid NOT NULL REFERENCES environment,
        name text NOT NULL,
        starts_at timestamptz(3) NOT NULL,
        ends_at timestamptz(3) NOT NULL,
        recurrence text,
        timezone text NOT NULL,
        message text NOT NULL DEFAULT '',
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1
      );
      CREATE INDEX environment_freeze_environment ON environment_freeze (environment_id, created_at, id) WHERE (deleted_at IS NULL);

      CREATE TABLE policy (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        workspace_id uuid NOT NULL REFERENCES workspace,
        name text NOT NULL,
        expression text NOT NULL,
        message text NOT NULL DEFAULT '',
        mode text NOT NULL,
        kinds text[] NOT NULL DEFAULT '{}',
        enabled boolean NOT NULL DEFAULT true,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1
      );
      CREATE UNIQUE INDEX policy_name ON policy (workspace_id, lower(name)) WHERE (deleted_at IS NULL);
      CREATE INDEX policy_workspace ON policy (workspace_id, created_at, id) WHERE (deleted_at IS NULL);

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
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        stale_since timestamptz(3),
        access_digest text,
        access_revision text
      );
      CREATE INDEX cluster_watch_access ON cluster_watch (access_digest);

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
        updated_at timestamptz(3) NOT NULL,
        applied_fields jsonb
      ) WITH (toast_tuple_target=256);
      CREATE INDEX cluster_resource_connection ON cluster_resource (connection_id, created_at, id);
      CREATE INDEX cluster_resource_created ON cluster_resource (organization_id, created_at, id);
      CREATE INDEX cluster_resource_design ON cluster_resource (design_id) WHERE (design_id IS NOT NULL);
      CREATE INDEX cluster_resource_labels ON cluster_resource USING gin (labels jsonb_path_ops);
      CREATE UNIQUE INDEX cluster_resource_object ON cluster_resource (connection_id, kind, namespace, name, api_version);
      CREATE INDEX cluster_resource_owner ON cluster_resource (connection_id, owner_uid) WHERE (owner_uid IS NOT NULL);
      CREATE INDEX cluster_resource_uid ON cluster_resource (connection_id, uid);

      CREATE TABLE deployed_drift (
        design_id uuid NOT NULL REFERENCES design ON DELETE CASCADE,
        connection_id uuid NOT NULL REFERENCES connection ON DELETE CASCADE,
        environment_id uuid NOT NULL,
        organization_id uuid NOT NULL REFERENCES organization,
        deployment_id uuid NOT NULL,
        status text NOT NULL,
        checked_at timestamptz(3) NOT NULL,
        heals jsonb NOT NULL DEFAULT '[]',
        stopped boolean NOT NULL DEFAULT false,
        took_ms integer NOT NULL DEFAULT 0,
        fields_digest text,
        PRIMARY KEY (design_id, connection_id, environment_id)
      );

      CREATE TABLE controller_installation (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        connection_id uuid NOT NULL REFERENCES connection,
        name text NOT NULL,
        target text NOT NULL,
        pending boolean NOT NULL,
        port integer,
        requested_by uuid NOT NULL REFERENCES app_user,
        failure jsonb,
        objects jsonb NOT NULL DEFAULT '[]',
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1
      );
      CREATE UNIQUE INDEX controller_installation_connection ON controller_installation (connection_id, name);

      CREATE TABLE webhook (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        workspace_id uuid REFERENCES workspace,
        owner uuid NOT NULL REFERENCES app_user,
        url text NOT NULL,
        description text NOT NULL DEFAULT '',
        events text[] NOT NULL,
        severities text[] NOT NULL DEFAULT '{}',
        format text NOT NULL DEFAULT 'standard',
        enabled boolean NOT NULL DEFAULT true,
        header_names text[] NOT NULL DEFAULT '{}',
        secrets bytea NOT NULL,
        previous_secret_expires_at timestamptz(3),
        starts_after bigint NOT NULL DEFAULT 0,
        failing_since timestamptz(3),
        noticed_at timestamptz(3),
        slow boolean NOT NULL DEFAULT false,
        disabled_at timestamptz(3),
        disabled_reason text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        revision integer NOT NULL DEFAULT 1
      );
      CREATE INDEX webhook_organization ON webhook (organization_id, created_at, id) WHERE (deleted_at IS NULL);

      CREATE TABLE webhook_delivery (
        id uuid PRIMARY KEY,
        webhook_id uuid NOT NULL REFERENCES webhook ON DELETE CASCADE,
        organization_id uuid NOT NULL REFERENCES organization,
        workspace_id uuid,
        event_id uuid,
        sequence bigint NOT NULL DEFAULT 0,
        subject uuid NOT NULL,
        kind text NOT NULL,
        status text NOT NULL DEFAULT 'pending',
        failures integer NOT NULL DEFAULT 0,
        next_attempt_at timestamptz(3),
        request jsonb,
        attempts jsonb NOT NULL DEFAULT '[]',
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE INDEX webhook_delivery_age ON webhook_delivery (created_at);
      CREATE INDEX webhook_delivery_created ON webhook_delivery (webhook_id, created_at, id);
      CREATE INDEX webhook_delivery_due ON webhook_delivery (webhook_id, next_attempt_at, sequence) WHERE (status = 'pending');
      CREATE UNIQUE INDEX webhook_delivery_event ON webhook_delivery (webhook_id, event_id) WHERE (event_id IS NOT NULL);
      CREATE INDEX webhook_delivery_subject ON webhook_delivery (webhook_id, subject, sequence) WHERE (status = 'pending');

      CREATE TABLE webhook_feed (
        organization_id uuid PRIMARY KEY REFERENCES organization,
        position bigint NOT NULL
      );

      CREATE TABLE audit_pending (
        transaction bigint NOT NULL,
        position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        chain uuid NOT NULL,
        source text NOT NULL,
        action text NOT NULL,
        resource_type text NOT NULL,
        resource_id text,
        before jsonb,
        after jsonb,
        acting text,
        context text,
        created_at timestamptz(3) NOT NULL,
        change_set bigint
      );

      CREATE TABLE audit_entry (
        id uuid PRIMARY KEY,
        chain uuid NOT NULL,
        sequence bigint NOT NULL,
        created_at timestamptz(3) NOT NULL,
        transaction bigint NOT NULL,
        action text NOT NULL,
        outcome text NOT NULL,
        reason text,
        count integer NOT NULL,
        actor_kind text NOT NULL,
        actor_id uuid,
        on_behalf_of uuid,
        token_id uuid,
        via text NOT NULL,
        request_id text,
        resource_type text NOT NULL,
        resource_id text,
        personal text,
        personal_salt text,
        personal_digest text NOT NULL,
        details text,
        details_salt text,
        details_digest text NOT NULL,
        previous_hash text NOT NULL,
        hash text NOT NULL
      );
      CREATE INDEX audit_entry_actor ON audit_entry (chain, actor_id, sequence);
      CREATE INDEX audit_entry_created ON audit_entry (chain, created_at, id);
      CREATE INDEX audit_entry_requester ON audit_entry (chain, on_behalf_of, sequence) WHERE (on_behalf_of IS NOT NULL);
      CREATE INDEX audit_entry_resource ON audit_entry (chain, resource_id, sequence);
      CREATE UNIQUE INDEX audit_entry_sequence ON audit_entry (chain, sequence);

      CREATE TABLE audit_chain (
        chain uuid PRIMARY KEY,
        last bigint NOT NULL,
        hash text NOT NULL,
        removed bigint NOT NULL DEFAULT 0,
        signature text
      );

      CREATE TABLE audit_key (
        id text PRIMARY KEY,
        public_key text NOT NULL,
        private_key bytea NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        version integer NOT NULL DEFAULT 1
      );

      CREATE TABLE audit_checkpoint (
        id uuid PRIMARY KEY,
        chain uuid NOT NULL,
        sequence bigint NOT NULL,
        hash text NOT NULL,
        key_id text NOT NULL REFERENCES audit_key,
        signature text NOT NULL,
        created_at timestamptz(3) NOT NULL
      );
      CREATE UNIQUE INDEX audit_checkpoint_sequence ON audit_checkpoint (chain, sequence);

      CREATE TABLE audit_forwarding (
        chain uuid PRIMARY KEY,
        sequence bigint NOT NULL
      );

      CREATE TABLE notification_settings (
        user_id uuid PRIMARY KEY REFERENCES app_user,
        categories jsonb NOT NULL DEFAULT '{}',
        timezone text NOT NULL DEFAULT 'UTC',
        digest_at text NOT NULL DEFAULT '08:00',
        muted_workspaces uuid[] NOT NULL DEFAULT '{}',
        revision integer NOT NULL DEFAULT 0,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        realtime text[] NOT NULL DEFAULT '{}',
        unsubscribe_key bytea,
        silences jsonb NOT NULL DEFAULT '[]'
      );
      CREATE INDEX notification_settings_realtime ON notification_settings (user_id) WHERE (realtime <> '{}'::text[]);

      CREATE TABLE notification_mark (
        user_id uuid NOT NULL REFERENCES app_user,
        event_id uuid NOT NULL,
        read boolean NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (user_id, event_id)
      );
      CREATE INDEX notification_mark_age ON notification_mark (created_at);

      CREATE TABLE notification_position (
        user_id uuid NOT NULL REFERENCES app_user,
        feed uuid NOT NULL,
        position bigint NOT NULL,
        PRIMARY KEY (user_id, feed)
      );

      CREATE TABLE notification_mail (
        user_id uuid NOT NULL REFERENCES app_user,
        frequency text NOT NULL,
        started_at timestamptz NOT NULL DEFAULT now(),
        due_at timestamptz,
        requested_at timestamptz,
        sent_at timestamptz,
        positions jsonb NOT NULL DEFAULT '{}',
        claimed_at timestamptz,
        claim jsonb,
        failures integer NOT NULL DEFAULT 0,
        PRIMARY KEY (user_id, frequency)
      );
      CREATE INDEX notification_mail_due ON notification_mail (due_at) WHERE (due_at IS NOT NULL);

      CREATE TABLE notification_feed (
        organization_id uuid PRIMARY KEY REFERENCES organization,
        position bigint NOT NULL
      );

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
        qps double precision NOT NULL,
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
        revision integer NOT NULL DEFAULT 1,
        stages jsonb NOT NULL DEFAULT '[]',
        timeout text NOT NULL DEFAULT '10s',
        baseline_id uuid
      );
      CREATE INDEX performance_profile_created ON performance_profile (organization_id, created_at, id) WHERE (deleted_at IS NULL);
      CREATE INDEX performance_profile_due ON performance_profile (next_run_at) WHERE ((next_run_at IS NOT NULL) AND (deleted_at IS NULL));
      CREATE INDEX performance_profile_workspace ON performance_profile (workspace_id, created_at, id) WHERE (deleted_at IS NULL);

      CREATE TABLE performance_run (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organization,
        workspace_id uuid NOT NULL REFERENCES workspace,
        profile_id uuid NOT NULL REFERENCES performance_profile,
        user_id uuid NOT NULL REFERENCES app_user,
        name text NOT NULL,
        trigger text NOT NULL,
        status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
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
        restarts integer NOT NULL DEFAULT 0
      );
      CREATE INDEX performance_run_created ON performance_run (organization_id, created_at, id) WHERE (deleted_at IS NULL);
      CREATE INDEX performance_run_profile ON performance_run (profile_id, created_at, id) WHERE (deleted_at IS NULL);
      CREATE INDEX performance_run_unfinished ON performance_run (organization_id) WHERE (finished_at IS NULL);
      CREATE INDEX performance_run_workspace ON performance_run (workspace_id, created_at, id) WHERE (deleted_at IS NULL);

      CREATE TABLE webhook_queue (
        webhook_id uuid PRIMARY KEY REFERENCES webhook ON DELETE CASCADE,
        organization_id uuid NOT NULL REFERENCES organization,
        due_at timestamptz(3),
        worker uuid,
        lease_until timestamptz(3)
      );
      CREATE INDEX webhook_queue_due ON webhook_queue (due_at) WHERE (worker IS NULL);
      CREATE INDEX webhook_queue_held ON webhook_queue (worker) WHERE (worker IS NOT NULL);

      CREATE TABLE webhook_deferral (
        webhook_id uuid PRIMARY KEY REFERENCES webhook ON DELETE CASCADE,
        organization_id uuid NOT NULL REFERENCES organization,
        after bigint NOT NULL
      );
      CREATE INDEX webhook_deferral_organization ON webhook_deferral (organization_id);

      CREATE TABLE kept_objects (
        design_id uuid NOT NULL REFERENCES design ON DELETE CASCADE,
        connection_id uuid NOT NULL REFERENCES connection ON DELETE CASCADE,
        environment_id uuid NOT NULL,
        organization_id uuid NOT NULL REFERENCES organization,
        objects jsonb NOT NULL,
        PRIMARY KEY (design_id, connection_id, environment_id)
      );
      CREATE INDEX kept_objects_uids ON kept_objects USING gin (jsonb_path_query_array(objects, '$[*]."uid"'::jsonpath));

      ALTER TABLE app_user ADD CONSTRAINT app_user_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id);

      -- Functions are executed by those alone to whom they are granted.
      ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
      REVOKE INSERT, UPDATE, DELETE ON migration, installation FROM armature_service;
      REVOKE ALL ON SEQUENCE migration_id_seq FROM armature_service;

      INSERT INTO installation (id) VALUES (gen_random_uuid());
      INSERT INTO registry_revision DEFAULT VALUES;
    `);
  }

  down(): Promise<void> {
    throw new Error('The baseline cannot be reverted: drop the database instead.');
  }
}
