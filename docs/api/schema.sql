-- The schema of the database, as "npm run api:write" reads it from a database to which all migrations and scripts were applied.
-- Each table is followed by its indexes, triggers, policies and rights. The functions audit_of_<table>, which audit_attach() creates for
-- each audited table, are left out. Sources: src/migrations, src/database/sql.

-- Extensions and collations

CREATE COLLATION names (provider = icu, locale = 'und-u-kn-true');
CREATE EXTENSION btree_gin;
CREATE EXTENSION pg_trgm;

-- Sequences

CREATE SEQUENCE audit_change_set;
GRANT SELECT, USAGE ON SEQUENCE audit_change_set TO armature_service;

-- Tables

CREATE TABLE app_user (
  id uuid NOT NULL,
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
  kind text NOT NULL DEFAULT 'person',
  organization_id uuid,
  issuer text,
  subject text,
  unconfirmed_by uuid,
  CONSTRAINT app_user_pkey PRIMARY KEY (id),
  CONSTRAINT app_user_kind_check CHECK (kind = ANY (ARRAY['person', 'service'])),
  CONSTRAINT app_user_of_issuer CHECK ((issuer IS NULL) = (subject IS NULL)),
  CONSTRAINT app_user_of_organization CHECK ((kind = 'service') = (organization_id IS NOT NULL)),
  CONSTRAINT app_user_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  CONSTRAINT app_user_unconfirmed_by_fkey FOREIGN KEY (unconfirmed_by) REFERENCES app_user(id)
);
CREATE UNIQUE INDEX app_user_email ON app_user (email) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX app_user_identity ON app_user (issuer, subject) WHERE (issuer IS NOT NULL);
CREATE INDEX app_user_search ON app_user USING gin (email gin_trgm_ops, (((first_name || ' ') || last_name)) gin_trgm_ops);
CREATE INDEX app_user_service ON app_user (organization_id, created_at, id) WHERE (organization_id IS NOT NULL);
CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF id, kind, email, password_hash, installation_admin, deactivated_at, deleted_at, organization_id, issuer, subject, unconfirmed_by ON app_user
  FOR EACH ROW
  WHEN (old.id IS DISTINCT FROM new.id OR old.kind IS DISTINCT FROM new.kind OR old.email IS DISTINCT FROM new.email OR old.password_hash IS DISTINCT FROM new.password_hash OR old.installation_admin IS DISTINCT FROM new.installation_admin OR old.deactivated_at IS DISTINCT FROM new.deactivated_at OR old.deleted_at IS DISTINCT FROM new.deleted_at OR old.organization_id IS DISTINCT FROM new.organization_id OR old.issuer IS DISTINCT FROM new.issuer OR old.subject IS DISTINCT FROM new.subject OR old.unconfirmed_by IS DISTINCT FROM new.unconfirmed_by)
  EXECUTE FUNCTION assert_scope_unchanged();
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON app_user
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_app_user();
ALTER TABLE app_user ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON app_user FOR SELECT
  USING (id = ((SELECT current_actor_id()))
      OR (EXISTS (SELECT
   FROM organization_member m
  WHERE m.user_id = app_user.id))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON app_user FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON app_user FOR UPDATE
  USING (id = ((SELECT current_actor_id()))
      OR (EXISTS (SELECT
   FROM organization_member m
  WHERE m.user_id = app_user.id))
      OR (SELECT is_system_actor()))
  WITH CHECK (id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON app_user FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON app_user TO armature_service;

CREATE TABLE applied_script (
  name text NOT NULL,
  digest text NOT NULL,
  applied_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT applied_script_pkey PRIMARY KEY (name)
);
GRANT SELECT ON applied_script TO armature_service;

CREATE TABLE audit_chain (
  chain uuid NOT NULL,
  last bigint NOT NULL,
  hash text NOT NULL,
  removed bigint NOT NULL DEFAULT 0,
  signature text,
  CONSTRAINT audit_chain_pkey PRIMARY KEY (chain)
);
ALTER TABLE audit_chain ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON audit_chain FOR SELECT
  USING ((SELECT is_system_actor()));
CREATE POLICY insert ON audit_chain FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON audit_chain FOR UPDATE
  USING ((SELECT is_system_actor()))
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY delete ON audit_chain FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON audit_chain TO armature_service;

CREATE TABLE audit_checkpoint (
  id uuid NOT NULL,
  chain uuid NOT NULL,
  sequence bigint NOT NULL,
  hash text NOT NULL,
  key_id text NOT NULL,
  signature text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT audit_checkpoint_pkey PRIMARY KEY (id),
  CONSTRAINT audit_checkpoint_key_id_fkey FOREIGN KEY (key_id) REFERENCES audit_key(id)
);
CREATE UNIQUE INDEX audit_checkpoint_sequence ON audit_checkpoint (chain, sequence);
ALTER TABLE audit_checkpoint ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON audit_checkpoint FOR SELECT
  USING ((chain = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON audit_checkpoint FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON audit_checkpoint FOR UPDATE
  USING (false)
  WITH CHECK (false);
CREATE POLICY delete ON audit_checkpoint FOR DELETE
  USING (false);
GRANT INSERT, SELECT ON audit_checkpoint TO armature_service;

CREATE TABLE audit_entry (
  id uuid NOT NULL,
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
  hash text NOT NULL,
  CONSTRAINT audit_entry_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_entry_actor ON audit_entry (chain, actor_id, sequence);
CREATE INDEX audit_entry_created ON audit_entry (chain, created_at, id);
CREATE INDEX audit_entry_requester ON audit_entry (chain, on_behalf_of, sequence) WHERE (on_behalf_of IS NOT NULL);
CREATE INDEX audit_entry_resource ON audit_entry (chain, resource_id, sequence);
CREATE UNIQUE INDEX audit_entry_sequence ON audit_entry (chain, sequence);
ALTER TABLE audit_entry ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON audit_entry FOR SELECT
  USING ((chain = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON audit_entry FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON audit_entry FOR UPDATE
  USING (false)
  WITH CHECK (false);
CREATE POLICY delete ON audit_entry FOR DELETE
  USING (false);
GRANT INSERT, SELECT ON audit_entry TO armature_service;

CREATE TABLE audit_forwarding (
  chain uuid NOT NULL,
  sequence bigint NOT NULL,
  CONSTRAINT audit_forwarding_pkey PRIMARY KEY (chain)
);
ALTER TABLE audit_forwarding ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON audit_forwarding FOR SELECT
  USING ((SELECT is_system_actor()));
CREATE POLICY insert ON audit_forwarding FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON audit_forwarding FOR UPDATE
  USING ((SELECT is_system_actor()))
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY delete ON audit_forwarding FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON audit_forwarding TO armature_service;

CREATE TABLE audit_key (
  id text NOT NULL,
  public_key text NOT NULL,
  private_key bytea NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  version integer NOT NULL DEFAULT 1,
  CONSTRAINT audit_key_pkey PRIMARY KEY (id)
);
ALTER TABLE audit_key ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON audit_key FOR SELECT
  USING ((SELECT is_system_actor()));
CREATE POLICY insert ON audit_key FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON audit_key FOR UPDATE
  USING ((SELECT is_system_actor()))
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY delete ON audit_key FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON audit_key TO armature_service;

CREATE TABLE audit_pending (
  transaction bigint NOT NULL,
  "position" bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
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
  change_set bigint,
  CONSTRAINT audit_pending_pkey PRIMARY KEY ("position")
);
ALTER TABLE audit_pending ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON audit_pending FOR SELECT
  USING ((SELECT is_system_actor() AND current_setting('armature.sealing', true) = 'change sets'));
CREATE POLICY insert ON audit_pending FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON audit_pending FOR UPDATE
  USING ((SELECT is_system_actor()))
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY delete ON audit_pending FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT ON audit_pending TO armature_service;

CREATE TABLE cluster_resource (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  connection_id uuid NOT NULL,
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
  applied_fields jsonb,
  digest text,
  CONSTRAINT cluster_resource_pkey PRIMARY KEY (id),
  CONSTRAINT cluster_resource_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id) ON DELETE CASCADE
) WITH (toast_tuple_target=256);
CREATE INDEX cluster_resource_connection ON cluster_resource (connection_id, created_at, id);
CREATE INDEX cluster_resource_created ON cluster_resource (organization_id, created_at, id);
CREATE INDEX cluster_resource_degraded ON cluster_resource (design_id) WHERE ((health = 'Degraded') AND (design_id IS NOT NULL));
CREATE INDEX cluster_resource_design ON cluster_resource (design_id) WHERE (design_id IS NOT NULL);
CREATE INDEX cluster_resource_designed ON cluster_resource (connection_id, uid) WHERE (design_id IS NOT NULL);
CREATE INDEX cluster_resource_labels ON cluster_resource USING gin (labels jsonb_path_ops);
CREATE INDEX cluster_resource_name ON cluster_resource (lower(name) COLLATE "C", id);
CREATE UNIQUE INDEX cluster_resource_object ON cluster_resource (connection_id, kind, namespace, name, api_version);
CREATE INDEX cluster_resource_owner ON cluster_resource (connection_id, owner_uid) WHERE (owner_uid IS NOT NULL);
CREATE INDEX cluster_resource_search ON cluster_resource USING gin (name gin_trgm_ops);
ALTER TABLE cluster_resource ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON cluster_resource FOR SELECT
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (connection_id IN (SELECT granted_resources((SELECT current_actor_id()), 'connection')))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON cluster_resource FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON cluster_resource FOR UPDATE
  USING ((SELECT is_system_actor()));
CREATE POLICY delete ON cluster_resource FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON cluster_resource TO armature_service;

CREATE TABLE cluster_watch (
  connection_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  worker text,
  lease_until timestamptz(3),
  status text NOT NULL DEFAULT 'starting',
  error text,
  cluster_uid text,
  kinds integer NOT NULL DEFAULT 0,
  missing jsonb NOT NULL DEFAULT '[]'::jsonb,
  synced_at timestamptz(3),
  resync text,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  stale_since timestamptz(3),
  access_digest text,
  access_revision text,
  CONSTRAINT cluster_watch_pkey PRIMARY KEY (connection_id),
  CONSTRAINT cluster_watch_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id) ON DELETE CASCADE,
  CONSTRAINT cluster_watch_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX cluster_watch_access ON cluster_watch (access_digest);
ALTER TABLE cluster_watch ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON cluster_watch FOR SELECT
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (connection_id IN (SELECT granted_resources((SELECT current_actor_id()), 'connection')))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON cluster_watch FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON cluster_watch FOR UPDATE
  USING ((SELECT is_system_actor()));
CREATE POLICY delete ON cluster_watch FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON cluster_watch TO armature_service;

CREATE TABLE component (
  id uuid NOT NULL,
  model_id uuid NOT NULL,
  kind text NOT NULL,
  api_version text NOT NULL,
  display_name text NOT NULL,
  is_annotation boolean NOT NULL DEFAULT false,
  status text NOT NULL DEFAULT 'enabled',
  listed boolean NOT NULL DEFAULT true,
  schema_digest text,
  digest text NOT NULL,
  details jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  revision integer NOT NULL DEFAULT 1,
  CONSTRAINT component_pkey PRIMARY KEY (id),
  CONSTRAINT component_model_id_fkey FOREIGN KEY (model_id) REFERENCES model(id),
  CONSTRAINT component_schema_digest_fkey FOREIGN KEY (schema_digest) REFERENCES component_schema(digest)
) WITH (toast_tuple_target=128);
CREATE INDEX component_created ON component (created_at, id) WHERE listed;
CREATE INDEX component_display_name ON component (display_name, id) WHERE listed;
CREATE UNIQUE INDEX component_identity ON component (model_id, kind, api_version);
CREATE INDEX component_kind ON component (kind, id) WHERE listed;
CREATE INDEX component_kind_version ON component (kind, api_version);
CREATE INDEX component_search ON component USING gin ((((kind || '
') || display_name)) gin_trgm_ops);
CREATE INDEX component_updated ON component (updated_at, id) WHERE listed;
ALTER TABLE component ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON component FOR SELECT
  USING (true
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON component FOR INSERT
  WITH CHECK ((SELECT (EXISTS (SELECT
           FROM app_user
          WHERE app_user.id = ((SELECT current_actor_id())) AND app_user.installation_admin)) AS "exists")
      OR (SELECT is_system_actor()));
CREATE POLICY update ON component FOR UPDATE
  USING (true
      OR (SELECT is_system_actor()))
  WITH CHECK ((SELECT (EXISTS (SELECT
           FROM app_user
          WHERE app_user.id = ((SELECT current_actor_id())) AND app_user.installation_admin)) AS "exists")
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON component FOR DELETE
  USING ((SELECT (EXISTS (SELECT
           FROM app_user
          WHERE app_user.id = ((SELECT current_actor_id())) AND app_user.installation_admin)) AS "exists")
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON component TO armature_service;

CREATE TABLE component_schema (
  digest text NOT NULL,
  text text NOT NULL,
  CONSTRAINT component_schema_pkey PRIMARY KEY (digest)
);
ALTER TABLE component_schema ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON component_schema FOR SELECT
  USING (true
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON component_schema FOR INSERT
  WITH CHECK ((SELECT (EXISTS (SELECT
           FROM app_user
          WHERE app_user.id = ((SELECT current_actor_id())) AND app_user.installation_admin)) AS "exists")
      OR (SELECT is_system_actor()));
CREATE POLICY update ON component_schema FOR UPDATE
  USING (true
      OR (SELECT is_system_actor()))
  WITH CHECK ((SELECT (EXISTS (SELECT
           FROM app_user
          WHERE app_user.id = ((SELECT current_actor_id())) AND app_user.installation_admin)) AS "exists")
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON component_schema FOR DELETE
  USING ((SELECT (EXISTS (SELECT
           FROM app_user
          WHERE app_user.id = ((SELECT current_actor_id())) AND app_user.installation_admin)) AS "exists")
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON component_schema TO armature_service;

CREATE TABLE connection (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  name text NOT NULL,
  kind text NOT NULL,
  type text NOT NULL,
  sub_type text NOT NULL,
  status text NOT NULL,
  metadata jsonb NOT NULL DEFAULT '{}'::jsonb,
  credential_id uuid,
  owner uuid NOT NULL,
  fingerprint text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  revision integer NOT NULL DEFAULT 1,
  metadata_secrets bytea,
  CONSTRAINT connection_pkey PRIMARY KEY (id),
  CONSTRAINT connection_credential_id_fkey FOREIGN KEY (credential_id) REFERENCES credential(id),
  CONSTRAINT connection_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  CONSTRAINT connection_owner_fkey FOREIGN KEY (owner) REFERENCES app_user(id)
);
CREATE INDEX connection_created ON connection (organization_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE INDEX connection_credential ON connection (credential_id);
CREATE UNIQUE INDEX connection_fingerprint ON connection (organization_id, fingerprint) WHERE (deleted_at IS NULL);
CREATE INDEX connection_search ON connection USING gin (organization_id, name gin_trgm_ops);
CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF id, organization_id ON connection
  FOR EACH ROW
  WHEN (old.id IS DISTINCT FROM new.id OR old.organization_id IS DISTINCT FROM new.organization_id)
  EXECUTE FUNCTION assert_scope_unchanged();
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON connection
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_connection();
CREATE TRIGGER count_added AFTER INSERT ON connection
  REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_added();
CREATE TRIGGER count_changed AFTER UPDATE OF deleted_at, organization_id ON connection
  FOR EACH ROW
  WHEN ((old.deleted_at IS NULL) <> (new.deleted_at IS NULL) OR old.organization_id <> new.organization_id)
  EXECUTE FUNCTION count_changed();
CREATE TRIGGER count_removed AFTER DELETE ON connection
  REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_removed();
ALTER TABLE connection ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON connection FOR SELECT
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (id IN (SELECT granted_resources((SELECT current_actor_id()), 'connection')))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON connection FOR INSERT
  WITH CHECK (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON connection FOR UPDATE
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (id IN (SELECT granted_resources((SELECT current_actor_id()), 'connection')))
      OR (SELECT is_system_actor()))
  WITH CHECK (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON connection FOR DELETE
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON connection TO armature_service;

CREATE TABLE connection_definition (
  kind text NOT NULL,
  digest text NOT NULL,
  definition jsonb NOT NULL,
  CONSTRAINT connection_definition_pkey PRIMARY KEY (kind)
);
ALTER TABLE connection_definition ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON connection_definition FOR SELECT
  USING (true
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON connection_definition FOR INSERT
  WITH CHECK ((SELECT (EXISTS (SELECT
           FROM app_user
          WHERE app_user.id = ((SELECT current_actor_id())) AND app_user.installation_admin)) AS "exists")
      OR (SELECT is_system_actor()));
CREATE POLICY update ON connection_definition FOR UPDATE
  USING (true
      OR (SELECT is_system_actor()))
  WITH CHECK ((SELECT (EXISTS (SELECT
           FROM app_user
          WHERE app_user.id = ((SELECT current_actor_id())) AND app_user.installation_admin)) AS "exists")
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON connection_definition FOR DELETE
  USING ((SELECT (EXISTS (SELECT
           FROM app_user
          WHERE app_user.id = ((SELECT current_actor_id())) AND app_user.installation_admin)) AS "exists")
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON connection_definition TO armature_service;

CREATE TABLE controller_installation (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  connection_id uuid NOT NULL,
  name text NOT NULL,
  target text NOT NULL,
  pending boolean NOT NULL,
  port integer,
  requested_by uuid NOT NULL,
  failure jsonb,
  objects jsonb NOT NULL DEFAULT '[]'::jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  revision integer NOT NULL DEFAULT 1,
  request integer NOT NULL DEFAULT 0,
  CONSTRAINT controller_installation_pkey PRIMARY KEY (id),
  CONSTRAINT controller_installation_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id),
  CONSTRAINT controller_installation_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  CONSTRAINT controller_installation_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES app_user(id)
);
CREATE UNIQUE INDEX controller_installation_connection ON controller_installation (connection_id, name);
CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF id, organization_id, connection_id ON controller_installation
  FOR EACH ROW
  WHEN (old.id IS DISTINCT FROM new.id OR old.organization_id IS DISTINCT FROM new.organization_id OR old.connection_id IS DISTINCT FROM new.connection_id)
  EXECUTE FUNCTION assert_scope_unchanged();
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON controller_installation
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_controller_installation();
ALTER TABLE controller_installation ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON controller_installation FOR SELECT
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (connection_id IN (SELECT granted_resources((SELECT current_actor_id()), 'connection')))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON controller_installation FOR INSERT
  WITH CHECK ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON controller_installation FOR UPDATE
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON controller_installation FOR DELETE
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON controller_installation TO armature_service;

CREATE TABLE credential (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  name text NOT NULL,
  type text NOT NULL,
  owner uuid NOT NULL,
  secret bytea NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  revision integer NOT NULL DEFAULT 1,
  entered_by uuid,
  CONSTRAINT credential_pkey PRIMARY KEY (id),
  CONSTRAINT credential_entered_by_fkey FOREIGN KEY (entered_by) REFERENCES app_user(id),
  CONSTRAINT credential_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  CONSTRAINT credential_owner_fkey FOREIGN KEY (owner) REFERENCES app_user(id)
);
CREATE UNIQUE INDEX credential_name ON credential (organization_id, lower(name)) WHERE (deleted_at IS NULL);
CREATE INDEX credential_search ON credential USING gin (organization_id, name gin_trgm_ops);
CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF id, organization_id ON credential
  FOR EACH ROW
  WHEN (old.id IS DISTINCT FROM new.id OR old.organization_id IS DISTINCT FROM new.organization_id)
  EXECUTE FUNCTION assert_scope_unchanged();
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON credential
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_credential();
CREATE TRIGGER count_added AFTER INSERT ON credential
  REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_added();
CREATE TRIGGER count_changed AFTER UPDATE OF deleted_at, organization_id ON credential
  FOR EACH ROW
  WHEN ((old.deleted_at IS NULL) <> (new.deleted_at IS NULL) OR old.organization_id <> new.organization_id)
  EXECUTE FUNCTION count_changed();
CREATE TRIGGER count_removed AFTER DELETE ON credential
  REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_removed();
ALTER TABLE credential ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON credential FOR SELECT
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON credential FOR INSERT
  WITH CHECK (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON credential FOR UPDATE
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()))
  WITH CHECK (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON credential FOR DELETE
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON credential TO armature_service;

CREATE TABLE data_key (
  id uuid NOT NULL,
  organization_id uuid,
  wrapped bytea NOT NULL,
  key_id text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  retired_at timestamptz(3),
  CONSTRAINT data_key_pkey PRIMARY KEY (id),
  CONSTRAINT data_key_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE UNIQUE INDEX data_key_organization ON data_key (COALESCE(organization_id, '00000000-0000-0000-0000-000000000000'::uuid)) WHERE (retired_at IS NULL);
ALTER TABLE data_key ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON data_key FOR SELECT
  USING ((SELECT is_system_actor()));
CREATE POLICY insert ON data_key FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON data_key FOR UPDATE
  USING ((SELECT is_system_actor()))
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY delete ON data_key FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON data_key TO armature_service;

CREATE TABLE deployed_design (
  design_id uuid NOT NULL,
  connection_id uuid NOT NULL,
  environment_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  deployment_id uuid NOT NULL,
  design_version integer NOT NULL,
  objects jsonb NOT NULL DEFAULT '[]'::jsonb,
  previous jsonb,
  namespace text,
  CONSTRAINT deployed_design_pkey PRIMARY KEY (design_id, connection_id, environment_id),
  CONSTRAINT deployed_design_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id),
  CONSTRAINT deployed_design_deployment_id_fkey FOREIGN KEY (deployment_id) REFERENCES deployment(id),
  CONSTRAINT deployed_design_design_id_fkey FOREIGN KEY (design_id) REFERENCES design(id),
  CONSTRAINT deployed_design_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  CONSTRAINT deployed_design_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
);
CREATE INDEX deployed_design_connection ON deployed_design (connection_id);
CREATE INDEX deployed_design_deployment ON deployed_design (deployment_id);
CREATE INDEX deployed_design_workspace ON deployed_design (workspace_id);
ALTER TABLE deployed_design ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON deployed_design FOR SELECT
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON deployed_design FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON deployed_design FOR UPDATE
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()))
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY delete ON deployed_design FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON deployed_design TO armature_service;

CREATE TABLE deployed_drift (
  design_id uuid NOT NULL,
  connection_id uuid NOT NULL,
  environment_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  deployment_id uuid NOT NULL,
  status text NOT NULL,
  checked_at timestamptz(3) NOT NULL,
  heals jsonb NOT NULL DEFAULT '[]'::jsonb,
  stopped boolean NOT NULL DEFAULT false,
  took_ms integer NOT NULL DEFAULT 0,
  fields_digest text,
  CONSTRAINT deployed_drift_pkey PRIMARY KEY (design_id, connection_id, environment_id),
  CONSTRAINT deployed_drift_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id) ON DELETE CASCADE,
  CONSTRAINT deployed_drift_design_id_fkey FOREIGN KEY (design_id) REFERENCES design(id) ON DELETE CASCADE,
  CONSTRAINT deployed_drift_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
ALTER TABLE deployed_drift ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON deployed_drift FOR SELECT
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (connection_id IN (SELECT granted_resources((SELECT current_actor_id()), 'connection')))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON deployed_drift FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON deployed_drift FOR UPDATE
  USING ((SELECT is_system_actor()));
CREATE POLICY delete ON deployed_drift FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON deployed_drift TO armature_service;

CREATE TABLE deployment (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  design_id uuid NOT NULL,
  design_version integer NOT NULL,
  environment_id uuid NOT NULL,
  connection_ids uuid[] NOT NULL,
  name text NOT NULL,
  action text NOT NULL,
  status text NOT NULL,
  requested_by uuid,
  approved_by uuid,
  job_id uuid,
  options jsonb NOT NULL DEFAULT '{}'::jsonb,
  resources jsonb NOT NULL DEFAULT '[]'::jsonb,
  failure jsonb,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  revision integer NOT NULL DEFAULT 1,
  policy_violations jsonb NOT NULL DEFAULT '[]'::jsonb,
  approvals jsonb NOT NULL DEFAULT '[]'::jsonb,
  approval_expires_at timestamptz(3),
  promoted_from uuid,
  clusters jsonb NOT NULL DEFAULT '[]'::jsonb,
  renderings jsonb NOT NULL DEFAULT '{}'::jsonb,
  CONSTRAINT deployment_pkey PRIMARY KEY (id),
  CONSTRAINT deployment_approved_by_fkey FOREIGN KEY (approved_by) REFERENCES app_user(id),
  CONSTRAINT deployment_design_id_fkey FOREIGN KEY (design_id) REFERENCES design(id),
  CONSTRAINT deployment_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environment(id),
  CONSTRAINT deployment_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  CONSTRAINT deployment_promoted_from_fkey FOREIGN KEY (promoted_from) REFERENCES deployment(id),
  CONSTRAINT deployment_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES app_user(id),
  CONSTRAINT deployment_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
);
CREATE INDEX deployment_approval_expiry ON deployment (approval_expires_at) WHERE (status = 'pending_approval');
CREATE INDEX deployment_created ON deployment (organization_id, created_at, id);
CREATE INDEX deployment_design ON deployment (design_id, created_at, id);
CREATE INDEX deployment_failed ON deployment (organization_id, finished_at) WHERE (status = ANY (ARRAY['failed', 'rolled_back']));
CREATE INDEX deployment_plan_id ON deployment (((options ->> 'plan_id'))) WHERE (options ? 'plan_id');
CREATE INDEX deployment_search ON deployment USING gin (organization_id, name gin_trgm_ops);
CREATE INDEX deployment_unfinished ON deployment (workspace_id, design_id) WHERE (finished_at IS NULL);
CREATE INDEX deployment_workspace ON deployment (workspace_id, created_at, id);
CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF id, organization_id, workspace_id ON deployment
  FOR EACH ROW
  WHEN (old.id IS DISTINCT FROM new.id OR old.organization_id IS DISTINCT FROM new.organization_id OR old.workspace_id IS DISTINCT FROM new.workspace_id)
  EXECUTE FUNCTION assert_scope_unchanged();
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON deployment
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_deployment();
ALTER TABLE deployment ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON deployment FOR SELECT
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace')))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON deployment FOR INSERT
  WITH CHECK (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 3)))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON deployment FOR UPDATE
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace')))
      OR (SELECT is_system_actor()))
  WITH CHECK (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 3)))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON deployment FOR DELETE
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 3)))
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON deployment TO armature_service;

CREATE TABLE deployment_change (
  deployment_id uuid NOT NULL,
  connection_id uuid NOT NULL,
  number integer NOT NULL,
  organization_id uuid NOT NULL,
  content bytea NOT NULL,
  CONSTRAINT deployment_change_pkey PRIMARY KEY (deployment_id, connection_id, number),
  CONSTRAINT deployment_change_deployment_id_fkey FOREIGN KEY (deployment_id) REFERENCES deployment(id),
  CONSTRAINT deployment_change_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
ALTER TABLE deployment_change ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON deployment_change FOR SELECT
  USING ((SELECT is_system_actor()));
CREATE POLICY insert ON deployment_change FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON deployment_change FOR UPDATE
  USING ((SELECT is_system_actor()))
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY delete ON deployment_change FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON deployment_change TO armature_service;

CREATE TABLE deployment_plan (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  design_id uuid NOT NULL,
  design_version integer NOT NULL,
  environment_id uuid NOT NULL,
  connection_ids uuid[] NOT NULL,
  options jsonb NOT NULL DEFAULT '{}'::jsonb,
  fingerprints jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  current_version integer,
  resources jsonb NOT NULL DEFAULT '[]'::jsonb,
  renderings jsonb NOT NULL DEFAULT '{}'::jsonb,
  content bytea,
  CONSTRAINT deployment_plan_pkey PRIMARY KEY (id),
  CONSTRAINT deployment_plan_design_id_fkey FOREIGN KEY (design_id) REFERENCES design(id),
  CONSTRAINT deployment_plan_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environment(id),
  CONSTRAINT deployment_plan_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX deployment_plan_age ON deployment_plan (created_at);
ALTER TABLE deployment_plan ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON deployment_plan FOR SELECT
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON deployment_plan FOR INSERT
  WITH CHECK (writes_design((SELECT current_actor_id()), design_id, organization_id, 3)
      OR (SELECT is_system_actor()));
CREATE POLICY update ON deployment_plan FOR UPDATE
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()))
  WITH CHECK (writes_design((SELECT current_actor_id()), design_id, organization_id, 3)
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON deployment_plan FOR DELETE
  USING (writes_design((SELECT current_actor_id()), design_id, organization_id, 3)
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON deployment_plan TO armature_service;

CREATE TABLE design (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  name text NOT NULL,
  user_id uuid NOT NULL,
  visibility text NOT NULL DEFAULT 'workspace',
  source_type text NOT NULL,
  version_number integer NOT NULL DEFAULT 1,
  version text NOT NULL,
  location jsonb NOT NULL DEFAULT '{}'::jsonb,
  catalog_data jsonb NOT NULL DEFAULT '{}'::jsonb,
  unsupported text NOT NULL DEFAULT '',
  deployment_count integer NOT NULL DEFAULT 0,
  clone_count integer NOT NULL DEFAULT 0,
  download_count integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  revision integer NOT NULL DEFAULT 1,
  cloned_from jsonb,
  sealed_values bytea,
  CONSTRAINT design_pkey PRIMARY KEY (id),
  CONSTRAINT design_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  CONSTRAINT design_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id),
  CONSTRAINT design_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
);
CREATE INDEX design_created ON design (organization_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE INDEX design_search ON design USING gin (organization_id, name gin_trgm_ops);
CREATE INDEX design_shared ON design (organization_id) WHERE ((visibility = 'organization') AND (deleted_at IS NULL));
CREATE INDEX design_workspace ON design (workspace_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF id, organization_id, workspace_id ON design
  FOR EACH ROW
  WHEN (old.id IS DISTINCT FROM new.id OR old.organization_id IS DISTINCT FROM new.organization_id OR old.workspace_id IS DISTINCT FROM new.workspace_id)
  EXECUTE FUNCTION assert_scope_unchanged();
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON design
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_design();
CREATE TRIGGER count_added AFTER INSERT ON design
  REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_added();
CREATE TRIGGER count_changed AFTER UPDATE OF deleted_at, organization_id ON design
  FOR EACH ROW
  WHEN ((old.deleted_at IS NULL) <> (new.deleted_at IS NULL) OR old.organization_id <> new.organization_id)
  EXECUTE FUNCTION count_changed();
CREATE TRIGGER count_removed AFTER DELETE ON design
  REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_removed();
ALTER TABLE design ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON design FOR SELECT
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace')))
      OR visibility <> 'workspace' AND (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON design FOR INSERT
  WITH CHECK (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 3)))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON design FOR UPDATE
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace')))
      OR visibility <> 'workspace' AND (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()))
  WITH CHECK (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 3)))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON design FOR DELETE
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 3)))
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON design TO armature_service;

CREATE TABLE design_version (
  design_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  number integer NOT NULL,
  version text NOT NULL,
  user_id uuid NOT NULL,
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
  workspace_id uuid,
  CONSTRAINT design_version_pkey PRIMARY KEY (design_id, number),
  CONSTRAINT design_version_design_id_fkey FOREIGN KEY (design_id) REFERENCES design(id),
  CONSTRAINT design_version_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  CONSTRAINT design_version_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF design_id, organization_id, number ON design_version
  FOR EACH ROW
  WHEN (old.design_id IS DISTINCT FROM new.design_id OR old.organization_id IS DISTINCT FROM new.organization_id OR old.number IS DISTINCT FROM new.number)
  EXECUTE FUNCTION assert_scope_unchanged();
ALTER TABLE design_version ENABLE ROW LEVEL SECURITY;
CREATE POLICY published ON design_version FOR SELECT
  USING (((SELECT current_actor_id())) IS NOT NULL AND (EXISTS (SELECT
   FROM published_design p
  WHERE p.id = design_version.design_id AND p.version_number = design_version.number)));
CREATE POLICY "select" ON design_version FOR SELECT
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON design_version FOR INSERT
  WITH CHECK (writes_design((SELECT current_actor_id()), design_id, organization_id, 3)
      OR (SELECT is_system_actor()));
CREATE POLICY update ON design_version FOR UPDATE
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()))
  WITH CHECK (writes_design((SELECT current_actor_id()), design_id, organization_id, 3)
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON design_version FOR DELETE
  USING (writes_design((SELECT current_actor_id()), design_id, organization_id, 3)
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON design_version TO armature_service;

CREATE TABLE environment (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  owner uuid NOT NULL,
  status text NOT NULL DEFAULT 'active',
  tier text NOT NULL DEFAULT 'development',
  metadata jsonb NOT NULL DEFAULT '{}'::jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  revision integer NOT NULL DEFAULT 1,
  required_approvals smallint,
  drift text NOT NULL DEFAULT 'fields',
  logs text NOT NULL DEFAULT 'editor',
  CONSTRAINT environment_pkey PRIMARY KEY (id),
  CONSTRAINT environment_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  CONSTRAINT environment_owner_fkey FOREIGN KEY (owner) REFERENCES app_user(id)
);
CREATE INDEX environment_created ON environment (organization_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE INDEX environment_name ON environment (organization_id, name, id) WHERE (deleted_at IS NULL);
CREATE INDEX environment_search ON environment USING gin (organization_id, name gin_trgm_ops);
CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF id, organization_id ON environment
  FOR EACH ROW
  WHEN (old.id IS DISTINCT FROM new.id OR old.organization_id IS DISTINCT FROM new.organization_id)
  EXECUTE FUNCTION assert_scope_unchanged();
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON environment
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_environment();
CREATE TRIGGER count_added AFTER INSERT ON environment
  REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_added();
CREATE TRIGGER count_changed AFTER UPDATE OF deleted_at, organization_id ON environment
  FOR EACH ROW
  WHEN ((old.deleted_at IS NULL) <> (new.deleted_at IS NULL) OR old.organization_id <> new.organization_id)
  EXECUTE FUNCTION count_changed();
CREATE TRIGGER count_removed AFTER DELETE ON environment
  REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_removed();
ALTER TABLE environment ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON environment FOR SELECT
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (id IN (SELECT granted_resources((SELECT current_actor_id()), 'environment')))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON environment FOR INSERT
  WITH CHECK (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON environment FOR UPDATE
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (id IN (SELECT granted_resources((SELECT current_actor_id()), 'environment')))
      OR (SELECT is_system_actor()))
  WITH CHECK (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON environment FOR DELETE
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON environment TO armature_service;

CREATE TABLE environment_connection (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  environment_id uuid NOT NULL,
  connection_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  revision integer NOT NULL DEFAULT 1,
  CONSTRAINT environment_connection_pkey PRIMARY KEY (id),
  CONSTRAINT environment_connection_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id),
  CONSTRAINT environment_connection_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environment(id),
  CONSTRAINT environment_connection_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX environment_connection_other ON environment_connection (connection_id);
CREATE UNIQUE INDEX environment_connection_pair ON environment_connection (environment_id, connection_id) WHERE (deleted_at IS NULL);
CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF id, organization_id ON environment_connection
  FOR EACH ROW
  WHEN (old.id IS DISTINCT FROM new.id OR old.organization_id IS DISTINCT FROM new.organization_id)
  EXECUTE FUNCTION assert_scope_unchanged();
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON environment_connection
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_environment_connection();
ALTER TABLE environment_connection ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON environment_connection FOR SELECT
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON environment_connection FOR INSERT
  WITH CHECK (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON environment_connection FOR UPDATE
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()))
  WITH CHECK (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON environment_connection FOR DELETE
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON environment_connection TO armature_service;

CREATE TABLE environment_freeze (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  environment_id uuid NOT NULL,
  name text NOT NULL,
  starts_at timestamptz(3) NOT NULL,
  ends_at timestamptz(3) NOT NULL,
  recurrence text,
  timezone text NOT NULL,
  message text NOT NULL DEFAULT '',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  revision integer NOT NULL DEFAULT 1,
  CONSTRAINT environment_freeze_pkey PRIMARY KEY (id),
  CONSTRAINT environment_freeze_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environment(id),
  CONSTRAINT environment_freeze_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX environment_freeze_environment ON environment_freeze (environment_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF id, organization_id, environment_id ON environment_freeze
  FOR EACH ROW
  WHEN (old.id IS DISTINCT FROM new.id OR old.organization_id IS DISTINCT FROM new.organization_id OR old.environment_id IS DISTINCT FROM new.environment_id)
  EXECUTE FUNCTION assert_scope_unchanged();
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON environment_freeze
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_environment_freeze();
ALTER TABLE environment_freeze ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON environment_freeze FOR SELECT
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON environment_freeze FOR INSERT
  WITH CHECK ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON environment_freeze FOR UPDATE
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON environment_freeze FOR DELETE
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON environment_freeze TO armature_service;

CREATE TABLE event (
  id uuid NOT NULL,
  sequence bigint NOT NULL,
  organization_id uuid,
  workspace_id uuid,
  user_id uuid,
  system_actor text,
  acted_upon uuid NOT NULL,
  operation_id uuid,
  category text NOT NULL,
  action text NOT NULL,
  severity text NOT NULL,
  description text NOT NULL,
  metadata jsonb NOT NULL DEFAULT '{}'::jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  change_set bigint,
  CONSTRAINT event_pkey PRIMARY KEY (id),
  CONSTRAINT event_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  CONSTRAINT event_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX event_change_set ON event (change_set) WHERE (change_set IS NOT NULL);
CREATE INDEX event_created ON event (created_at, id);
CREATE UNIQUE INDEX event_feed ON event ((
CASE
    WHEN (organization_id IS NULL) THEN '00000000-0000-0000-0000-000000000000'::uuid
    ELSE organization_id
END), sequence);
CREATE INDEX event_organization ON event (organization_id, created_at, id);
CREATE INDEX event_subject ON event (acted_upon, created_at, id);
CREATE INDEX event_workspace ON event (workspace_id, created_at, id) WHERE (workspace_id IS NOT NULL);
CREATE TRIGGER audited AFTER INSERT ON event
  FOR EACH ROW
  WHEN (new.change_set IS NULL)
  EXECUTE FUNCTION audit_event();
ALTER TABLE event ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON event FOR SELECT
  USING (organization_id IS NULL
      OR user_id = ((SELECT current_actor_id()))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON event FOR INSERT
  WITH CHECK (user_id = ((SELECT current_actor_id())) AND (organization_id IS NULL OR organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 1))) OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1))))))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON event FOR UPDATE
  USING (organization_id IS NULL
      OR user_id = ((SELECT current_actor_id()))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()))
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY delete ON event FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON event TO armature_service;

CREATE TABLE event_counter (
  feed uuid NOT NULL,
  last bigint NOT NULL,
  CONSTRAINT event_counter_pkey PRIMARY KEY (feed)
);
ALTER TABLE event_counter ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON event_counter FOR SELECT
  USING (feed = '00000000-0000-0000-0000-000000000000'::uuid
      OR (feed = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON event_counter FOR INSERT
  WITH CHECK (feed = '00000000-0000-0000-0000-000000000000'::uuid
      OR feed = ((SELECT concerned_organization((SELECT current_actor_id()), 1)))
      OR (feed = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON event_counter FOR UPDATE
  USING (feed = '00000000-0000-0000-0000-000000000000'::uuid
      OR feed = ((SELECT concerned_organization((SELECT current_actor_id()), 1)))
      OR (feed = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()))
  WITH CHECK (feed = '00000000-0000-0000-0000-000000000000'::uuid
      OR feed = ((SELECT concerned_organization((SELECT current_actor_id()), 1)))
      OR (feed = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON event_counter FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON event_counter TO armature_service;

CREATE TABLE event_read (
  event_id uuid NOT NULL,
  user_id uuid NOT NULL,
  CONSTRAINT event_read_pkey PRIMARY KEY (event_id, user_id),
  CONSTRAINT event_read_event_id_fkey FOREIGN KEY (event_id) REFERENCES event(id) ON DELETE CASCADE,
  CONSTRAINT event_read_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
ALTER TABLE event_read ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON event_read FOR SELECT
  USING (user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON event_read FOR INSERT
  WITH CHECK (user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON event_read FOR UPDATE
  USING (user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()))
  WITH CHECK (user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON event_read FOR DELETE
  USING (user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON event_read TO armature_service;

CREATE TABLE failed_attempt (
  key bytea NOT NULL,
  failures integer NOT NULL,
  until timestamp with time zone NOT NULL,
  CONSTRAINT failed_attempt_pkey PRIMARY KEY (key)
);
CREATE INDEX failed_attempt_until ON failed_attempt (until);
ALTER TABLE failed_attempt ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON failed_attempt FOR SELECT
  USING ((SELECT is_system_actor()));
CREATE POLICY insert ON failed_attempt FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON failed_attempt FOR UPDATE
  USING ((SELECT is_system_actor()))
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY delete ON failed_attempt FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON failed_attempt TO armature_service;

CREATE TABLE favourite (
  user_id uuid NOT NULL,
  type text NOT NULL,
  record_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT favourite_pkey PRIMARY KEY (user_id, type, record_id),
  CONSTRAINT favourite_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
ALTER TABLE favourite ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON favourite FOR SELECT
  USING (user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON favourite FOR INSERT
  WITH CHECK (user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON favourite FOR UPDATE
  USING (user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()))
  WITH CHECK (user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON favourite FOR DELETE
  USING (user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON favourite TO armature_service;

CREATE TABLE filter (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  name text NOT NULL,
  user_id uuid NOT NULL,
  visibility text NOT NULL DEFAULT 'workspace',
  content bytea NOT NULL,
  resource bytea,
  size integer NOT NULL,
  digest text NOT NULL,
  metadata jsonb NOT NULL DEFAULT '{}'::jsonb,
  location jsonb NOT NULL DEFAULT '{}'::jsonb,
  cloned_from jsonb,
  catalog_data jsonb NOT NULL DEFAULT '{}'::jsonb,
  technologies text[] NOT NULL DEFAULT '{}'::text[],
  clone_count integer NOT NULL DEFAULT 0,
  download_count integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  revision integer NOT NULL DEFAULT 1,
  CONSTRAINT filter_pkey PRIMARY KEY (id),
  CONSTRAINT filter_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  CONSTRAINT filter_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id),
  CONSTRAINT filter_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
);
CREATE INDEX filter_catalog ON filter (created_at, id) WHERE ((visibility = 'public') AND (deleted_at IS NULL));
CREATE INDEX filter_created ON filter (organization_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE INDEX filter_search ON filter USING gin (organization_id, name gin_trgm_ops);
CREATE INDEX filter_shared ON filter (organization_id) WHERE ((visibility = 'organization') AND (deleted_at IS NULL));
CREATE INDEX filter_technologies ON filter USING gin (technologies) WHERE ((visibility = 'public') AND (deleted_at IS NULL));
CREATE INDEX filter_workspace ON filter (workspace_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF id, organization_id, workspace_id ON filter
  FOR EACH ROW
  WHEN (old.id IS DISTINCT FROM new.id OR old.organization_id IS DISTINCT FROM new.organization_id OR old.workspace_id IS DISTINCT FROM new.workspace_id)
  EXECUTE FUNCTION assert_scope_unchanged();
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON filter
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_filter();
CREATE TRIGGER count_added AFTER INSERT ON filter
  REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_added();
CREATE TRIGGER count_changed AFTER UPDATE OF deleted_at, organization_id ON filter
  FOR EACH ROW
  WHEN ((old.deleted_at IS NULL) <> (new.deleted_at IS NULL) OR old.organization_id <> new.organization_id)
  EXECUTE FUNCTION count_changed();
CREATE TRIGGER count_removed AFTER DELETE ON filter
  REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_removed();
ALTER TABLE filter ENABLE ROW LEVEL SECURITY;
CREATE POLICY published ON filter FOR SELECT
  USING (visibility = 'public' AND deleted_at IS NULL AND ((SELECT current_actor_id())) IS NOT NULL AND (workspace_id IN (SELECT active_workspace.id
   FROM active_workspace)) AND (organization_id IN (SELECT active_organization.id
   FROM active_organization)));
CREATE POLICY "select" ON filter FOR SELECT
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace')))
      OR visibility <> 'workspace' AND (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON filter FOR INSERT
  WITH CHECK (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 3)))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON filter FOR UPDATE
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace')))
      OR visibility <> 'workspace' AND (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()))
  WITH CHECK (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 3)))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON filter FOR DELETE
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 3)))
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON filter TO armature_service;

CREATE TABLE idempotency_key (
  caller text NOT NULL,
  route text NOT NULL,
  key text NOT NULL,
  digest text NOT NULL,
  answer bytea,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  claim uuid,
  lease_until timestamp with time zone NOT NULL DEFAULT (now() + '00:20:00'::interval),
  has_written boolean NOT NULL DEFAULT false,
  CONSTRAINT idempotency_key_pkey PRIMARY KEY (caller, route, key)
);
CREATE INDEX idempotency_key_age ON idempotency_key (created_at);
ALTER TABLE idempotency_key ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON idempotency_key FOR SELECT
  USING (caller = ((SELECT NULLIF(current_setting('armature.user', true), '')))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON idempotency_key FOR INSERT
  WITH CHECK (caller = ((SELECT NULLIF(current_setting('armature.user', true), '')))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON idempotency_key FOR UPDATE
  USING (caller = ((SELECT NULLIF(current_setting('armature.user', true), '')))
      OR (SELECT is_system_actor()))
  WITH CHECK (caller = ((SELECT NULLIF(current_setting('armature.user', true), '')))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON idempotency_key FOR DELETE
  USING (caller = ((SELECT NULLIF(current_setting('armature.user', true), '')))
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON idempotency_key TO armature_service;

CREATE TABLE installation (
  id uuid NOT NULL,
  only_one boolean NOT NULL DEFAULT true,
  CONSTRAINT installation_pkey PRIMARY KEY (id),
  CONSTRAINT installation_only_one_key UNIQUE (only_one),
  CONSTRAINT installation_only_one_check CHECK (only_one)
);
GRANT SELECT ON installation TO armature_service;

CREATE TABLE invitation (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  email text NOT NULL,
  role smallint NOT NULL,
  first_name text NOT NULL DEFAULT '',
  last_name text NOT NULL DEFAULT '',
  token_hash bytea NOT NULL,
  invited_by uuid,
  expires_at timestamptz(3) NOT NULL,
  accepted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  revision integer NOT NULL DEFAULT 1,
  proof_hash bytea,
  delivery_status text,
  delivery_reason text,
  delivery_at timestamptz(3),
  CONSTRAINT invitation_pkey PRIMARY KEY (id),
  CONSTRAINT invitation_token_hash_key UNIQUE (token_hash),
  CONSTRAINT invitation_delivery_status_check CHECK (delivery_status = ANY (ARRAY['sent', 'deferred', 'failed'])),
  CONSTRAINT invitation_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES app_user(id),
  CONSTRAINT invitation_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX invitation_email ON invitation (email) WHERE ((accepted_at IS NULL) AND (deleted_at IS NULL));
CREATE UNIQUE INDEX invitation_open ON invitation (organization_id, email) WHERE ((accepted_at IS NULL) AND (deleted_at IS NULL));
CREATE INDEX invitation_sender ON invitation (invited_by) WHERE ((accepted_at IS NULL) AND (deleted_at IS NULL));
CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF id, organization_id ON invitation
  FOR EACH ROW
  WHEN (old.id IS DISTINCT FROM new.id OR old.organization_id IS DISTINCT FROM new.organization_id)
  EXECUTE FUNCTION assert_scope_unchanged();
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON invitation
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_invitation();
ALTER TABLE invitation ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON invitation FOR SELECT
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON invitation FOR INSERT
  WITH CHECK ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON invitation FOR UPDATE
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()))
  WITH CHECK ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON invitation FOR DELETE
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON invitation TO armature_service;

CREATE TABLE job (
  id uuid NOT NULL,
  "position" bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  queue text NOT NULL,
  payload jsonb NOT NULL DEFAULT '{}'::jsonb,
  status text NOT NULL DEFAULT 'queued',
  progress jsonb,
  result jsonb,
  error jsonb,
  organization_id uuid,
  requested_by uuid,
  serial_key text,
  run_at timestamp with time zone NOT NULL DEFAULT now(),
  attempt integer NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  losses integer NOT NULL DEFAULT 0,
  most_attempts integer NOT NULL DEFAULT 1,
  most_takes integer NOT NULL DEFAULT 3,
  worker uuid,
  lease_until timestamp with time zone,
  cancel_requested boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  finished_at timestamptz(3),
  cancelled_by uuid,
  share_key text,
  ended_turn text,
  CONSTRAINT job_pkey PRIMARY KEY (id),
  CONSTRAINT job_status_check CHECK (status = ANY (ARRAY['queued', 'running', 'succeeded', 'failed', 'cancelled'])),
  CONSTRAINT job_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  CONSTRAINT job_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES app_user(id)
);
CREATE INDEX job_finished ON job (finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX job_ready ON job (queue, run_at, "position") WHERE (status = 'queued');
CREATE INDEX job_running ON job (worker) WHERE (status = 'running');
CREATE INDEX job_serial_queued ON job (serial_key, "position") WHERE ((status = 'queued') AND (serial_key IS NOT NULL));
CREATE UNIQUE INDEX job_serial_running ON job (serial_key) WHERE (status = 'running');
ALTER TABLE job ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON job FOR SELECT
  USING (requested_by = ((SELECT current_actor_id()))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR organization_id IS NULL AND (SELECT (EXISTS (SELECT
           FROM app_user
          WHERE app_user.id = ((SELECT current_actor_id())) AND app_user.installation_admin)) AS "exists")
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON job FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON job FOR UPDATE
  USING (requested_by = ((SELECT current_actor_id()))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR organization_id IS NULL AND (SELECT (EXISTS (SELECT
           FROM app_user
          WHERE app_user.id = ((SELECT current_actor_id())) AND app_user.installation_admin)) AS "exists")
      OR (SELECT is_system_actor()))
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY delete ON job FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON job TO armature_service;

CREATE TABLE kept_objects (
  design_id uuid NOT NULL,
  connection_id uuid NOT NULL,
  environment_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  objects jsonb NOT NULL,
  CONSTRAINT kept_objects_pkey PRIMARY KEY (design_id, connection_id, environment_id),
  CONSTRAINT kept_objects_connection_id_fkey FOREIGN KEY (connection_id) REFERENCES connection(id) ON DELETE CASCADE,
  CONSTRAINT kept_objects_design_id_fkey FOREIGN KEY (design_id) REFERENCES design(id) ON DELETE CASCADE,
  CONSTRAINT kept_objects_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX kept_objects_uids ON kept_objects USING gin (jsonb_path_query_array(objects, '$[*]."uid"'::jsonpath));
ALTER TABLE kept_objects ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON kept_objects FOR SELECT
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (connection_id IN (SELECT granted_resources((SELECT current_actor_id()), 'connection')))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON kept_objects FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON kept_objects FOR UPDATE
  USING ((SELECT is_system_actor()));
CREATE POLICY delete ON kept_objects FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON kept_objects TO armature_service;

CREATE TABLE known_network (
  pair bytea NOT NULL,
  seen_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT known_network_pkey PRIMARY KEY (pair)
);
CREATE INDEX known_network_seen ON known_network (seen_at);
ALTER TABLE known_network ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON known_network FOR SELECT
  USING ((SELECT is_system_actor()));
CREATE POLICY insert ON known_network FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON known_network FOR UPDATE
  USING ((SELECT is_system_actor()))
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY delete ON known_network FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON known_network TO armature_service;

CREATE TABLE migration (
  id integer NOT NULL DEFAULT nextval('migration_id_seq'::regclass),
  "timestamp" bigint NOT NULL,
  name character varying NOT NULL,
  CONSTRAINT migration_pkey PRIMARY KEY (id)
);
GRANT SELECT ON migration TO armature_service;

CREATE TABLE model (
  id uuid NOT NULL,
  registrant_id uuid NOT NULL,
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
  metadata jsonb NOT NULL DEFAULT '{}'::jsonb,
  rest jsonb NOT NULL DEFAULT '{}'::jsonb,
  digest text NOT NULL,
  components_count integer NOT NULL DEFAULT 0,
  relationships_count integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  revision integer NOT NULL DEFAULT 1,
  CONSTRAINT model_pkey PRIMARY KEY (id),
  CONSTRAINT model_registrant_id_fkey FOREIGN KEY (registrant_id) REFERENCES registrant(id)
);
CREATE INDEX model_category ON model (category_slug);
CREATE UNIQUE INDEX model_identity ON model (registrant_id, name, version);
CREATE INDEX model_name_version ON model (name, version_order);
CREATE INDEX model_search ON model USING gin ((((name || '
') || display_name)) gin_trgm_ops);
ALTER TABLE model ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON model FOR SELECT
  USING (true
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON model FOR INSERT
  WITH CHECK ((SELECT (EXISTS (SELECT
           FROM app_user
          WHERE app_user.id = ((SELECT current_actor_id())) AND app_user.installation_admin)) AS "exists")
      OR (SELECT is_system_actor()));
CREATE POLICY update ON model FOR UPDATE
  USING (true
      OR (SELECT is_system_actor()))
  WITH CHECK ((SELECT (EXISTS (SELECT
           FROM app_user
          WHERE app_user.id = ((SELECT current_actor_id())) AND app_user.installation_admin)) AS "exists")
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON model FOR DELETE
  USING ((SELECT (EXISTS (SELECT
           FROM app_user
          WHERE app_user.id = ((SELECT current_actor_id())) AND app_user.installation_admin)) AS "exists")
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON model TO armature_service;

CREATE TABLE notification_feed (
  organization_id uuid NOT NULL,
  "position" bigint NOT NULL,
  CONSTRAINT notification_feed_pkey PRIMARY KEY (organization_id),
  CONSTRAINT notification_feed_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
ALTER TABLE notification_feed ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON notification_feed FOR SELECT
  USING ((SELECT is_system_actor()));
CREATE POLICY insert ON notification_feed FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON notification_feed FOR UPDATE
  USING ((SELECT is_system_actor()))
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY delete ON notification_feed FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON notification_feed TO armature_service;

CREATE TABLE notification_mail (
  user_id uuid NOT NULL,
  frequency text NOT NULL,
  started_at timestamp with time zone NOT NULL DEFAULT now(),
  due_at timestamp with time zone,
  requested_at timestamp with time zone,
  sent_at timestamp with time zone,
  positions jsonb NOT NULL DEFAULT '{}'::jsonb,
  claimed_at timestamp with time zone,
  claim jsonb,
  failures integer NOT NULL DEFAULT 0,
  CONSTRAINT notification_mail_pkey PRIMARY KEY (user_id, frequency),
  CONSTRAINT notification_mail_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX notification_mail_due ON notification_mail (due_at) WHERE (due_at IS NOT NULL);
ALTER TABLE notification_mail ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON notification_mail FOR SELECT
  USING ((SELECT is_system_actor()));
CREATE POLICY insert ON notification_mail FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON notification_mail FOR UPDATE
  USING ((SELECT is_system_actor()))
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY delete ON notification_mail FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON notification_mail TO armature_service;

CREATE TABLE notification_mark (
  user_id uuid NOT NULL,
  event_id uuid NOT NULL,
  read boolean NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT notification_mark_pkey PRIMARY KEY (user_id, event_id),
  CONSTRAINT notification_mark_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX notification_mark_age ON notification_mark (created_at);
ALTER TABLE notification_mark ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON notification_mark FOR SELECT
  USING (user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON notification_mark FOR INSERT
  WITH CHECK (user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON notification_mark FOR UPDATE
  USING (user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()))
  WITH CHECK (user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON notification_mark FOR DELETE
  USING (user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON notification_mark TO armature_service;

CREATE TABLE notification_position (
  user_id uuid NOT NULL,
  feed uuid NOT NULL,
  "position" bigint NOT NULL,
  CONSTRAINT notification_position_pkey PRIMARY KEY (user_id, feed),
  CONSTRAINT notification_position_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
ALTER TABLE notification_position ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON notification_position FOR SELECT
  USING (user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON notification_position FOR INSERT
  WITH CHECK (user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON notification_position FOR UPDATE
  USING (user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()))
  WITH CHECK (user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON notification_position FOR DELETE
  USING (user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON notification_position TO armature_service;

CREATE TABLE notification_settings (
  user_id uuid NOT NULL,
  categories jsonb NOT NULL DEFAULT '{}'::jsonb,
  timezone text NOT NULL DEFAULT 'UTC',
  digest_at text NOT NULL DEFAULT '08:00',
  muted_workspaces uuid[] NOT NULL DEFAULT '{}'::uuid[],
  revision integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  realtime text[] NOT NULL DEFAULT '{}'::text[],
  unsubscribe_key bytea,
  silences jsonb NOT NULL DEFAULT '[]'::jsonb,
  CONSTRAINT notification_settings_pkey PRIMARY KEY (user_id),
  CONSTRAINT notification_settings_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX notification_settings_realtime ON notification_settings (user_id) WHERE (realtime <> '{}'::text[]);
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON notification_settings
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_notification_settings();
ALTER TABLE notification_settings ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON notification_settings FOR SELECT
  USING (user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON notification_settings FOR INSERT
  WITH CHECK (user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON notification_settings FOR UPDATE
  USING (user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()))
  WITH CHECK (user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON notification_settings FOR DELETE
  USING (user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON notification_settings TO armature_service;

CREATE TABLE organization (
  id uuid NOT NULL,
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  owner uuid NOT NULL,
  metadata jsonb NOT NULL DEFAULT '{}'::jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  revision integer NOT NULL DEFAULT 1,
  CONSTRAINT organization_pkey PRIMARY KEY (id),
  CONSTRAINT organization_owner_fkey FOREIGN KEY (owner) REFERENCES app_user(id)
);
CREATE UNIQUE INDEX organization_name ON organization (lower(name)) WHERE (deleted_at IS NULL);
CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF id ON organization
  FOR EACH ROW
  WHEN (old.id IS DISTINCT FROM new.id)
  EXECUTE FUNCTION assert_scope_unchanged();
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON organization
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_organization();
CREATE TRIGGER notify_memberships AFTER UPDATE OF deleted_at ON organization
  FOR EACH ROW
  WHEN (old.deleted_at IS DISTINCT FROM new.deleted_at)
  EXECUTE FUNCTION notify_memberships();
ALTER TABLE organization ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON organization FOR SELECT
  USING ((id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON organization FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON organization FOR UPDATE
  USING ((id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()))
  WITH CHECK ((id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON organization FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON organization TO armature_service;

CREATE TABLE organization_member (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  role smallint NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT organization_member_pkey PRIMARY KEY (organization_id, user_id),
  CONSTRAINT organization_member_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  CONSTRAINT organization_member_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX organization_member_user ON organization_member (user_id);
CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF organization_id, user_id ON organization_member
  FOR EACH ROW
  WHEN (old.organization_id IS DISTINCT FROM new.organization_id OR old.user_id IS DISTINCT FROM new.user_id)
  EXECUTE FUNCTION assert_scope_unchanged();
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON organization_member
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_organization_member();
CREATE TRIGGER notify_membership AFTER INSERT OR DELETE OR UPDATE ON organization_member
  FOR EACH ROW
  EXECUTE FUNCTION notify_membership();
ALTER TABLE organization_member ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON organization_member FOR SELECT
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON organization_member FOR INSERT
  WITH CHECK ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5))))) AND (role < 6 OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 6))))))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON organization_member FOR UPDATE
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()))
  WITH CHECK ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5))))) AND (role < 6 OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 6))))))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON organization_member FOR DELETE
  USING (user_id = ((SELECT current_actor_id()))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5))))) AND (role < 6 OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 6))))))
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON organization_member TO armature_service;

CREATE TABLE password_reset (
  hash bytea NOT NULL,
  user_id uuid NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT password_reset_pkey PRIMARY KEY (hash),
  CONSTRAINT password_reset_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX password_reset_user ON password_reset (user_id);
ALTER TABLE password_reset ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON password_reset FOR SELECT
  USING ((SELECT is_system_actor()));
CREATE POLICY insert ON password_reset FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON password_reset FOR UPDATE
  USING ((SELECT is_system_actor()))
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY delete ON password_reset FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON password_reset TO armature_service;

CREATE TABLE performance_profile (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  name text NOT NULL,
  user_id uuid NOT NULL,
  service_mesh text NOT NULL DEFAULT '',
  load_generators text[] NOT NULL DEFAULT '{}'::text[],
  endpoints text[] NOT NULL,
  concurrent_request integer NOT NULL,
  qps double precision NOT NULL,
  duration text NOT NULL,
  protocol text NOT NULL,
  method text NOT NULL,
  load_model text NOT NULL,
  content_type text NOT NULL DEFAULT '',
  header_names text[] NOT NULL DEFAULT '{}'::text[],
  cookie_names text[] NOT NULL DEFAULT '{}'::text[],
  content bytea NOT NULL,
  metadata jsonb NOT NULL DEFAULT '{}'::jsonb,
  budget jsonb,
  schedule jsonb,
  scheduled_by uuid,
  next_run_at timestamptz(3),
  metrics_connection_id uuid,
  metrics_queries text[] NOT NULL DEFAULT '{}'::text[],
  last_run timestamptz(3),
  total_results integer NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  revision integer NOT NULL DEFAULT 1,
  stages jsonb NOT NULL DEFAULT '[]'::jsonb,
  timeout text NOT NULL DEFAULT '10s',
  baseline_id uuid,
  CONSTRAINT performance_profile_pkey PRIMARY KEY (id),
  CONSTRAINT performance_profile_metrics_connection_id_fkey FOREIGN KEY (metrics_connection_id) REFERENCES connection(id),
  CONSTRAINT performance_profile_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  CONSTRAINT performance_profile_scheduled_by_fkey FOREIGN KEY (scheduled_by) REFERENCES app_user(id),
  CONSTRAINT performance_profile_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id),
  CONSTRAINT performance_profile_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
);
CREATE INDEX performance_profile_created ON performance_profile (organization_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE INDEX performance_profile_due ON performance_profile (next_run_at) WHERE ((next_run_at IS NOT NULL) AND (deleted_at IS NULL));
CREATE INDEX performance_profile_workspace ON performance_profile (workspace_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF id, organization_id, workspace_id ON performance_profile
  FOR EACH ROW
  WHEN (old.id IS DISTINCT FROM new.id OR old.organization_id IS DISTINCT FROM new.organization_id OR old.workspace_id IS DISTINCT FROM new.workspace_id)
  EXECUTE FUNCTION assert_scope_unchanged();
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON performance_profile
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_performance_profile();
ALTER TABLE performance_profile ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON performance_profile FOR SELECT
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace')))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON performance_profile FOR INSERT
  WITH CHECK ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 3)))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON performance_profile FOR UPDATE
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace')))
      OR (SELECT is_system_actor()))
  WITH CHECK ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 3)))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON performance_profile FOR DELETE
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 3)))
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON performance_profile TO armature_service;

CREATE TABLE performance_run (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  profile_id uuid NOT NULL,
  user_id uuid NOT NULL,
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
  restarts integer NOT NULL DEFAULT 0,
  CONSTRAINT performance_run_pkey PRIMARY KEY (id),
  CONSTRAINT performance_run_status_check CHECK (status = ANY (ARRAY['queued', 'running', 'succeeded', 'failed', 'cancelled'])),
  CONSTRAINT performance_run_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  CONSTRAINT performance_run_profile_id_fkey FOREIGN KEY (profile_id) REFERENCES performance_profile(id),
  CONSTRAINT performance_run_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id),
  CONSTRAINT performance_run_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
);
CREATE INDEX performance_run_created ON performance_run (organization_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE INDEX performance_run_profile ON performance_run (profile_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE INDEX performance_run_unfinished ON performance_run (organization_id) WHERE (finished_at IS NULL);
CREATE INDEX performance_run_workspace ON performance_run (workspace_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF id, organization_id, workspace_id ON performance_run
  FOR EACH ROW
  WHEN (old.id IS DISTINCT FROM new.id OR old.organization_id IS DISTINCT FROM new.organization_id OR old.workspace_id IS DISTINCT FROM new.workspace_id)
  EXECUTE FUNCTION assert_scope_unchanged();
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON performance_run
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_performance_run();
ALTER TABLE performance_run ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON performance_run FOR SELECT
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace')))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON performance_run FOR INSERT
  WITH CHECK ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 3)))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON performance_run FOR UPDATE
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace')))
      OR (SELECT is_system_actor()))
  WITH CHECK ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 3)))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON performance_run FOR DELETE
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 3)))
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON performance_run TO armature_service;

CREATE TABLE personal_token (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  name text NOT NULL,
  scopes text[] NOT NULL,
  hash bytea NOT NULL,
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  revision integer NOT NULL DEFAULT 1,
  CONSTRAINT personal_token_pkey PRIMARY KEY (id),
  CONSTRAINT personal_token_hash_key UNIQUE (hash),
  CONSTRAINT personal_token_scopes_check CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY['read', 'write', 'deploy', 'admin']),
  CONSTRAINT personal_token_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX personal_token_user ON personal_token (user_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON personal_token
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_personal_token();
ALTER TABLE personal_token ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON personal_token FOR SELECT
  USING (user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON personal_token FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON personal_token FOR UPDATE
  USING (user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()))
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY delete ON personal_token FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON personal_token TO armature_service;

CREATE TABLE policy (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  name text NOT NULL,
  expression text NOT NULL,
  message text NOT NULL DEFAULT '',
  mode text NOT NULL,
  kinds text[] NOT NULL DEFAULT '{}'::text[],
  enabled boolean NOT NULL DEFAULT true,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  revision integer NOT NULL DEFAULT 1,
  CONSTRAINT policy_pkey PRIMARY KEY (id),
  CONSTRAINT policy_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  CONSTRAINT policy_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
);
CREATE UNIQUE INDEX policy_name ON policy (workspace_id, lower(name)) WHERE (deleted_at IS NULL);
CREATE INDEX policy_workspace ON policy (workspace_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF id, organization_id, workspace_id ON policy
  FOR EACH ROW
  WHEN (old.id IS DISTINCT FROM new.id OR old.organization_id IS DISTINCT FROM new.organization_id OR old.workspace_id IS DISTINCT FROM new.workspace_id)
  EXECUTE FUNCTION assert_scope_unchanged();
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON policy
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_policy();
ALTER TABLE policy ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON policy FOR SELECT
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace')))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON policy FOR INSERT
  WITH CHECK ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4)))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON policy FOR UPDATE
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace')))
      OR (SELECT is_system_actor()))
  WITH CHECK ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4)))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON policy FOR DELETE
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4)))
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON policy TO armature_service;

CREATE TABLE publication (
  design_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  number integer NOT NULL,
  name text NOT NULL,
  version text NOT NULL,
  source_type text NOT NULL,
  unsupported text NOT NULL,
  technologies text[] NOT NULL,
  published_by uuid NOT NULL,
  created_at timestamptz(3) NOT NULL,
  published_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT publication_pkey PRIMARY KEY (design_id),
  CONSTRAINT publication_design_id_fkey FOREIGN KEY (design_id) REFERENCES design(id),
  CONSTRAINT publication_design_id_number_fkey FOREIGN KEY (design_id, number) REFERENCES design_version(design_id, number),
  CONSTRAINT publication_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  CONSTRAINT publication_published_by_fkey FOREIGN KEY (published_by) REFERENCES app_user(id)
);
CREATE INDEX publication_created ON publication (created_at, design_id);
CREATE INDEX publication_published ON publication (published_at, design_id);
CREATE INDEX publication_search ON publication USING gin (name gin_trgm_ops);
CREATE INDEX publication_technologies ON publication USING gin (technologies);
CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF design_id, organization_id ON publication
  FOR EACH ROW
  WHEN (old.design_id IS DISTINCT FROM new.design_id OR old.organization_id IS DISTINCT FROM new.organization_id)
  EXECUTE FUNCTION assert_scope_unchanged();
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON publication
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_publication();
ALTER TABLE publication ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON publication FOR SELECT
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON publication FOR INSERT
  WITH CHECK (writes_design((SELECT current_actor_id()), design_id, organization_id, 4)
      OR (SELECT is_system_actor()));
CREATE POLICY update ON publication FOR UPDATE
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()))
  WITH CHECK (writes_design((SELECT current_actor_id()), design_id, organization_id, 4)
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON publication FOR DELETE
  USING (writes_design((SELECT current_actor_id()), design_id, organization_id, 4)
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON publication TO armature_service;

CREATE TABLE record_total (
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  organization_id uuid NOT NULL,
  record text NOT NULL,
  amount bigint NOT NULL,
  CONSTRAINT record_total_pkey PRIMARY KEY (id),
  CONSTRAINT record_total_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE INDEX record_total_of_organization ON record_total (organization_id, record) INCLUDE (amount);
ALTER TABLE record_total ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON record_total FOR SELECT
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON record_total FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON record_total FOR UPDATE
  USING ((SELECT is_system_actor()));
CREATE POLICY delete ON record_total FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON record_total TO armature_service;

CREATE TABLE refresh_token (
  hash bytea NOT NULL,
  session_id uuid NOT NULL,
  used_at timestamptz(3),
  CONSTRAINT refresh_token_pkey PRIMARY KEY (hash),
  CONSTRAINT refresh_token_session_id_fkey FOREIGN KEY (session_id) REFERENCES session(id) ON DELETE CASCADE
);
CREATE INDEX refresh_token_session ON refresh_token (session_id);
ALTER TABLE refresh_token ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON refresh_token FOR SELECT
  USING ((SELECT is_system_actor()));
CREATE POLICY insert ON refresh_token FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON refresh_token FOR UPDATE
  USING ((SELECT is_system_actor()))
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY delete ON refresh_token FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON refresh_token TO armature_service;

CREATE TABLE registered_package (
  digest text NOT NULL,
  models jsonb NOT NULL,
  result jsonb NOT NULL,
  CONSTRAINT registered_package_pkey PRIMARY KEY (digest)
);
ALTER TABLE registered_package ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON registered_package FOR SELECT
  USING (true
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON registered_package FOR INSERT
  WITH CHECK ((SELECT (EXISTS (SELECT
           FROM app_user
          WHERE app_user.id = ((SELECT current_actor_id())) AND app_user.installation_admin)) AS "exists")
      OR (SELECT is_system_actor()));
CREATE POLICY update ON registered_package FOR UPDATE
  USING (true
      OR (SELECT is_system_actor()))
  WITH CHECK ((SELECT (EXISTS (SELECT
           FROM app_user
          WHERE app_user.id = ((SELECT current_actor_id())) AND app_user.installation_admin)) AS "exists")
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON registered_package FOR DELETE
  USING ((SELECT (EXISTS (SELECT
           FROM app_user
          WHERE app_user.id = ((SELECT current_actor_id())) AND app_user.installation_admin)) AS "exists")
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON registered_package TO armature_service;

CREATE TABLE registrant (
  id uuid NOT NULL,
  hostname text NOT NULL,
  kind text NOT NULL,
  status text NOT NULL DEFAULT 'registered',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  revision integer NOT NULL DEFAULT 1,
  CONSTRAINT registrant_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX registrant_identity ON registrant (kind, hostname);
ALTER TABLE registrant ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON registrant FOR SELECT
  USING (true
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON registrant FOR INSERT
  WITH CHECK ((SELECT (EXISTS (SELECT
           FROM app_user
          WHERE app_user.id = ((SELECT current_actor_id())) AND app_user.installation_admin)) AS "exists")
      OR (SELECT is_system_actor()));
CREATE POLICY update ON registrant FOR UPDATE
  USING (true
      OR (SELECT is_system_actor()))
  WITH CHECK ((SELECT (EXISTS (SELECT
           FROM app_user
          WHERE app_user.id = ((SELECT current_actor_id())) AND app_user.installation_admin)) AS "exists")
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON registrant FOR DELETE
  USING ((SELECT (EXISTS (SELECT
           FROM app_user
          WHERE app_user.id = ((SELECT current_actor_id())) AND app_user.installation_admin)) AS "exists")
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON registrant TO armature_service;

CREATE TABLE registry_revision (
  singleton boolean NOT NULL DEFAULT true,
  revision bigint NOT NULL DEFAULT 0,
  seed text,
  CONSTRAINT registry_revision_pkey PRIMARY KEY (singleton),
  CONSTRAINT registry_revision_singleton_check CHECK (singleton)
);
ALTER TABLE registry_revision ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON registry_revision FOR SELECT
  USING (true
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON registry_revision FOR INSERT
  WITH CHECK ((SELECT (EXISTS (SELECT
           FROM app_user
          WHERE app_user.id = ((SELECT current_actor_id())) AND app_user.installation_admin)) AS "exists")
      OR (SELECT is_system_actor()));
CREATE POLICY update ON registry_revision FOR UPDATE
  USING (true
      OR (SELECT is_system_actor()))
  WITH CHECK ((SELECT (EXISTS (SELECT
           FROM app_user
          WHERE app_user.id = ((SELECT current_actor_id())) AND app_user.installation_admin)) AS "exists")
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON registry_revision FOR DELETE
  USING ((SELECT (EXISTS (SELECT
           FROM app_user
          WHERE app_user.id = ((SELECT current_actor_id())) AND app_user.installation_admin)) AS "exists")
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON registry_revision TO armature_service;

CREATE TABLE relationship (
  id uuid NOT NULL,
  model_id uuid NOT NULL,
  kind text NOT NULL,
  type text NOT NULL,
  sub_type text NOT NULL,
  status text NOT NULL DEFAULT 'enabled',
  listed boolean NOT NULL DEFAULT true,
  version text NOT NULL,
  selectors jsonb NOT NULL,
  metadata jsonb NOT NULL DEFAULT '{}'::jsonb,
  rest jsonb NOT NULL DEFAULT '{}'::jsonb,
  identity text NOT NULL,
  digest text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  revision integer NOT NULL DEFAULT 1,
  CONSTRAINT relationship_pkey PRIMARY KEY (id),
  CONSTRAINT relationship_model_id_fkey FOREIGN KEY (model_id) REFERENCES model(id)
);
CREATE UNIQUE INDEX relationship_identity ON relationship (model_id, identity);
CREATE INDEX relationship_kind ON relationship (kind, id) WHERE listed;
ALTER TABLE relationship ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON relationship FOR SELECT
  USING (true
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON relationship FOR INSERT
  WITH CHECK ((SELECT (EXISTS (SELECT
           FROM app_user
          WHERE app_user.id = ((SELECT current_actor_id())) AND app_user.installation_admin)) AS "exists")
      OR (SELECT is_system_actor()));
CREATE POLICY update ON relationship FOR UPDATE
  USING (true
      OR (SELECT is_system_actor()))
  WITH CHECK ((SELECT (EXISTS (SELECT
           FROM app_user
          WHERE app_user.id = ((SELECT current_actor_id())) AND app_user.installation_admin)) AS "exists")
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON relationship FOR DELETE
  USING ((SELECT (EXISTS (SELECT
           FROM app_user
          WHERE app_user.id = ((SELECT current_actor_id())) AND app_user.installation_admin)) AS "exists")
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON relationship TO armature_service;

CREATE TABLE session (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3),
  CONSTRAINT session_pkey PRIMARY KEY (id),
  CONSTRAINT session_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX session_of_user ON session (user_id);
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON session
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_session();
ALTER TABLE session ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON session FOR SELECT
  USING ((SELECT is_system_actor()));
CREATE POLICY insert ON session FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON session FOR UPDATE
  USING ((SELECT is_system_actor()))
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY delete ON session FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON session TO armature_service;

CREATE TABLE snapshot (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  design_id uuid NOT NULL,
  number integer NOT NULL,
  name text NOT NULL,
  user_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  revision integer NOT NULL DEFAULT 1,
  CONSTRAINT snapshot_pkey PRIMARY KEY (id),
  CONSTRAINT snapshot_design_id_number_fkey FOREIGN KEY (design_id, number) REFERENCES design_version(design_id, number),
  CONSTRAINT snapshot_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  CONSTRAINT snapshot_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE UNIQUE INDEX snapshot_name ON snapshot (design_id, lower(name)) WHERE (deleted_at IS NULL);
CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF design_id, organization_id, number ON snapshot
  FOR EACH ROW
  WHEN (old.design_id IS DISTINCT FROM new.design_id OR old.organization_id IS DISTINCT FROM new.organization_id OR old.number IS DISTINCT FROM new.number)
  EXECUTE FUNCTION assert_scope_unchanged();
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON snapshot
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_snapshot();
ALTER TABLE snapshot ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON snapshot FOR SELECT
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON snapshot FOR INSERT
  WITH CHECK (writes_design((SELECT current_actor_id()), design_id, organization_id, 3)
      OR (SELECT is_system_actor()));
CREATE POLICY update ON snapshot FOR UPDATE
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()))
  WITH CHECK (writes_design((SELECT current_actor_id()), design_id, organization_id, 3)
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON snapshot FOR DELETE
  USING (writes_design((SELECT current_actor_id()), design_id, organization_id, 3)
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON snapshot TO armature_service;

CREATE TABLE team (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  revision integer NOT NULL DEFAULT 1,
  CONSTRAINT team_pkey PRIMARY KEY (id),
  CONSTRAINT team_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
CREATE UNIQUE INDEX team_name ON team (organization_id, lower(name)) WHERE (deleted_at IS NULL);
CREATE INDEX team_search ON team USING gin (organization_id, name gin_trgm_ops);
CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF id, organization_id ON team
  FOR EACH ROW
  WHEN (old.id IS DISTINCT FROM new.id OR old.organization_id IS DISTINCT FROM new.organization_id)
  EXECUTE FUNCTION assert_scope_unchanged();
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON team
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_team();
ALTER TABLE team ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON team FOR SELECT
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON team FOR INSERT
  WITH CHECK ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON team FOR UPDATE
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()))
  WITH CHECK ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON team FOR DELETE
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON team TO armature_service;

CREATE TABLE team_member (
  team_id uuid NOT NULL,
  user_id uuid NOT NULL,
  source text NOT NULL DEFAULT 'manual',
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT team_member_pkey PRIMARY KEY (team_id, user_id),
  CONSTRAINT team_member_source_check CHECK (source = ANY (ARRAY['manual', 'groups'])),
  CONSTRAINT team_member_team_id_fkey FOREIGN KEY (team_id) REFERENCES team(id),
  CONSTRAINT team_member_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id)
);
CREATE INDEX team_member_user ON team_member (user_id);
CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF team_id, user_id ON team_member
  FOR EACH ROW
  WHEN (old.team_id IS DISTINCT FROM new.team_id OR old.user_id IS DISTINCT FROM new.user_id)
  EXECUTE FUNCTION assert_scope_unchanged();
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON team_member
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_team_member();
ALTER TABLE team_member ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON team_member FOR SELECT
  USING ((EXISTS (SELECT
   FROM team holder
  WHERE holder.id = team_member.team_id))
      OR user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON team_member FOR INSERT
  WITH CHECK ((EXISTS (SELECT
   FROM team holder
  WHERE holder.id = team_member.team_id AND (holder.organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON team_member FOR UPDATE
  USING ((EXISTS (SELECT
   FROM team holder
  WHERE holder.id = team_member.team_id))
      OR user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()))
  WITH CHECK ((EXISTS (SELECT
   FROM team holder
  WHERE holder.id = team_member.team_id AND (holder.organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON team_member FOR DELETE
  USING (user_id = ((SELECT current_actor_id()))
      OR (EXISTS (SELECT
   FROM team holder
  WHERE holder.id = team_member.team_id AND (holder.organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))))
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON team_member TO armature_service;

CREATE TABLE webhook (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  workspace_id uuid,
  owner uuid NOT NULL,
  url text NOT NULL,
  description text NOT NULL DEFAULT '',
  events text[] NOT NULL,
  severities text[] NOT NULL DEFAULT '{}'::text[],
  format text NOT NULL DEFAULT 'standard',
  enabled boolean NOT NULL DEFAULT true,
  header_names text[] NOT NULL DEFAULT '{}'::text[],
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
  revision integer NOT NULL DEFAULT 1,
  CONSTRAINT webhook_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  CONSTRAINT webhook_owner_fkey FOREIGN KEY (owner) REFERENCES app_user(id),
  CONSTRAINT webhook_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
);
CREATE INDEX webhook_organization ON webhook (organization_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF id, organization_id, workspace_id ON webhook
  FOR EACH ROW
  WHEN (old.id IS DISTINCT FROM new.id OR old.organization_id IS DISTINCT FROM new.organization_id OR old.workspace_id IS DISTINCT FROM new.workspace_id)
  EXECUTE FUNCTION assert_scope_unchanged();
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON webhook
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_webhook();
ALTER TABLE webhook ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON webhook FOR SELECT
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4)))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON webhook FOR INSERT
  WITH CHECK (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4)))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON webhook FOR UPDATE
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4)))
      OR (SELECT is_system_actor()))
  WITH CHECK (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4)))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON webhook FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON webhook TO armature_service;

CREATE TABLE webhook_deferral (
  webhook_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  after bigint NOT NULL,
  CONSTRAINT webhook_deferral_pkey PRIMARY KEY (webhook_id),
  CONSTRAINT webhook_deferral_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  CONSTRAINT webhook_deferral_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhook(id) ON DELETE CASCADE
);
CREATE INDEX webhook_deferral_organization ON webhook_deferral (organization_id);
ALTER TABLE webhook_deferral ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON webhook_deferral FOR SELECT
  USING ((SELECT is_system_actor()));
CREATE POLICY insert ON webhook_deferral FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON webhook_deferral FOR UPDATE
  USING ((SELECT is_system_actor()))
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY delete ON webhook_deferral FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON webhook_deferral TO armature_service;

CREATE TABLE webhook_delivery (
  id uuid NOT NULL,
  webhook_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  workspace_id uuid,
  event_id uuid,
  sequence bigint NOT NULL DEFAULT 0,
  subject uuid NOT NULL,
  kind text NOT NULL,
  status text NOT NULL DEFAULT 'pending',
  failures integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz(3),
  request jsonb,
  attempts jsonb NOT NULL DEFAULT '[]'::jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT webhook_delivery_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_delivery_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  CONSTRAINT webhook_delivery_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhook(id) ON DELETE CASCADE
);
CREATE INDEX webhook_delivery_age ON webhook_delivery (created_at);
CREATE INDEX webhook_delivery_created ON webhook_delivery (webhook_id, created_at, id);
CREATE INDEX webhook_delivery_due ON webhook_delivery (webhook_id, next_attempt_at, sequence) WHERE (status = 'pending');
CREATE UNIQUE INDEX webhook_delivery_event ON webhook_delivery (webhook_id, event_id) WHERE (event_id IS NOT NULL);
CREATE INDEX webhook_delivery_subject ON webhook_delivery (webhook_id, subject, sequence) WHERE (status = 'pending');
CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF id, webhook_id, organization_id, workspace_id, event_id ON webhook_delivery
  FOR EACH ROW
  WHEN (old.id IS DISTINCT FROM new.id OR old.webhook_id IS DISTINCT FROM new.webhook_id OR old.organization_id IS DISTINCT FROM new.organization_id OR old.workspace_id IS DISTINCT FROM new.workspace_id OR old.event_id IS DISTINCT FROM new.event_id)
  EXECUTE FUNCTION assert_scope_unchanged();
ALTER TABLE webhook_delivery ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON webhook_delivery FOR SELECT
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4)))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON webhook_delivery FOR INSERT
  WITH CHECK (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4)))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON webhook_delivery FOR UPDATE
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4)))
      OR (SELECT is_system_actor()))
  WITH CHECK (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4)))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON webhook_delivery FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON webhook_delivery TO armature_service;

CREATE TABLE webhook_feed (
  organization_id uuid NOT NULL,
  "position" bigint NOT NULL,
  CONSTRAINT webhook_feed_pkey PRIMARY KEY (organization_id),
  CONSTRAINT webhook_feed_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
ALTER TABLE webhook_feed ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON webhook_feed FOR SELECT
  USING ((SELECT is_system_actor()));
CREATE POLICY insert ON webhook_feed FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON webhook_feed FOR UPDATE
  USING ((SELECT is_system_actor()))
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY delete ON webhook_feed FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON webhook_feed TO armature_service;

CREATE TABLE webhook_pause (
  webhook_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  until timestamptz(3) NOT NULL,
  CONSTRAINT webhook_pause_pkey PRIMARY KEY (webhook_id),
  CONSTRAINT webhook_pause_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
ALTER TABLE webhook_pause ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON webhook_pause FOR SELECT
  USING ((SELECT is_system_actor()));
CREATE POLICY insert ON webhook_pause FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON webhook_pause FOR UPDATE
  USING ((SELECT is_system_actor()))
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY delete ON webhook_pause FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON webhook_pause TO armature_service;

CREATE TABLE webhook_queue (
  webhook_id uuid NOT NULL,
  organization_id uuid NOT NULL,
  due_at timestamptz(3),
  worker uuid,
  lease_until timestamptz(3),
  CONSTRAINT webhook_queue_pkey PRIMARY KEY (webhook_id),
  CONSTRAINT webhook_queue_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  CONSTRAINT webhook_queue_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhook(id) ON DELETE CASCADE
);
CREATE INDEX webhook_queue_due ON webhook_queue (due_at) WHERE (worker IS NULL);
CREATE INDEX webhook_queue_held ON webhook_queue (worker) WHERE (worker IS NOT NULL);
ALTER TABLE webhook_queue ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON webhook_queue FOR SELECT
  USING ((SELECT is_system_actor()));
CREATE POLICY insert ON webhook_queue FOR INSERT
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY update ON webhook_queue FOR UPDATE
  USING ((SELECT is_system_actor()))
  WITH CHECK ((SELECT is_system_actor()));
CREATE POLICY delete ON webhook_queue FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON webhook_queue TO armature_service;

CREATE TABLE workspace (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  owner uuid NOT NULL,
  status text NOT NULL DEFAULT 'active',
  metadata jsonb NOT NULL DEFAULT '{}'::jsonb,
  personal_of uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  revision integer NOT NULL DEFAULT 1,
  max_designs integer,
  max_environments integer,
  max_members integer,
  max_deployments_per_day integer,
  CONSTRAINT workspace_pkey PRIMARY KEY (id),
  CONSTRAINT workspace_max_deployments_per_day_check CHECK (max_deployments_per_day >= 0),
  CONSTRAINT workspace_max_designs_check CHECK (max_designs >= 0),
  CONSTRAINT workspace_max_environments_check CHECK (max_environments >= 0),
  CONSTRAINT workspace_max_members_check CHECK (max_members >= 0),
  CONSTRAINT workspace_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  CONSTRAINT workspace_owner_fkey FOREIGN KEY (owner) REFERENCES app_user(id),
  CONSTRAINT workspace_personal_of_fkey FOREIGN KEY (personal_of) REFERENCES app_user(id)
);
CREATE INDEX workspace_created ON workspace (organization_id, created_at, id) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX workspace_personal ON workspace (organization_id, personal_of) WHERE ((deleted_at IS NULL) AND (personal_of IS NOT NULL));
CREATE INDEX workspace_search ON workspace USING gin (organization_id, name gin_trgm_ops);
CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF id, organization_id ON workspace
  FOR EACH ROW
  WHEN (old.id IS DISTINCT FROM new.id OR old.organization_id IS DISTINCT FROM new.organization_id)
  EXECUTE FUNCTION assert_scope_unchanged();
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON workspace
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_workspace();
CREATE TRIGGER count_added AFTER INSERT ON workspace
  REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_added();
CREATE TRIGGER count_changed AFTER UPDATE OF deleted_at, organization_id ON workspace
  FOR EACH ROW
  WHEN ((old.deleted_at IS NULL) <> (new.deleted_at IS NULL) OR old.organization_id <> new.organization_id)
  EXECUTE FUNCTION count_changed();
CREATE TRIGGER count_removed AFTER DELETE ON workspace
  REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_removed();
ALTER TABLE workspace ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON workspace FOR SELECT
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace')))
      OR owner = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON workspace FOR INSERT
  WITH CHECK (owner = ((SELECT current_actor_id())) AND (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON workspace FOR UPDATE
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace')))
      OR owner = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()))
  WITH CHECK (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4)))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON workspace FOR DELETE
  USING ((SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON workspace TO armature_service;

CREATE TABLE workspace_environment (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  environment_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  deleted_at timestamptz(3),
  revision integer NOT NULL DEFAULT 1,
  CONSTRAINT workspace_environment_pkey PRIMARY KEY (id),
  CONSTRAINT workspace_environment_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environment(id),
  CONSTRAINT workspace_environment_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organization(id),
  CONSTRAINT workspace_environment_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
);
CREATE INDEX workspace_environment_other ON workspace_environment (environment_id);
CREATE UNIQUE INDEX workspace_environment_pair ON workspace_environment (workspace_id, environment_id) WHERE (deleted_at IS NULL);
CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF id, organization_id, workspace_id ON workspace_environment
  FOR EACH ROW
  WHEN (old.id IS DISTINCT FROM new.id OR old.organization_id IS DISTINCT FROM new.organization_id OR old.workspace_id IS DISTINCT FROM new.workspace_id)
  EXECUTE FUNCTION assert_scope_unchanged();
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON workspace_environment
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_workspace_environment();
ALTER TABLE workspace_environment ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON workspace_environment FOR SELECT
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON workspace_environment FOR INSERT
  WITH CHECK (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4)))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON workspace_environment FOR UPDATE
  USING ((organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
      OR (SELECT is_system_actor()))
  WITH CHECK (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4)))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON workspace_environment FOR DELETE
  USING (organization_id = ((SELECT concerned_organization((SELECT current_actor_id()), 5)))
      OR (organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4)))
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON workspace_environment TO armature_service;

CREATE TABLE workspace_member (
  workspace_id uuid NOT NULL,
  user_id uuid NOT NULL,
  role smallint NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT workspace_member_pkey PRIMARY KEY (workspace_id, user_id),
  CONSTRAINT workspace_member_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(id),
  CONSTRAINT workspace_member_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
);
CREATE INDEX workspace_member_user ON workspace_member (user_id);
CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF workspace_id, user_id ON workspace_member
  FOR EACH ROW
  WHEN (old.workspace_id IS DISTINCT FROM new.workspace_id OR old.user_id IS DISTINCT FROM new.user_id)
  EXECUTE FUNCTION assert_scope_unchanged();
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON workspace_member
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_workspace_member();
ALTER TABLE workspace_member ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON workspace_member FOR SELECT
  USING ((EXISTS (SELECT
   FROM workspace holder
  WHERE holder.id = workspace_member.workspace_id))
      OR user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON workspace_member FOR INSERT
  WITH CHECK ((workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4)))
      OR (EXISTS (SELECT
   FROM workspace holder
  WHERE holder.id = workspace_member.workspace_id AND (holder.organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON workspace_member FOR UPDATE
  USING ((EXISTS (SELECT
   FROM workspace holder
  WHERE holder.id = workspace_member.workspace_id))
      OR user_id = ((SELECT current_actor_id()))
      OR (SELECT is_system_actor()))
  WITH CHECK ((workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4)))
      OR (EXISTS (SELECT
   FROM workspace holder
  WHERE holder.id = workspace_member.workspace_id AND (holder.organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON workspace_member FOR DELETE
  USING (user_id = ((SELECT current_actor_id()))
      OR (workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4)))
      OR (EXISTS (SELECT
   FROM workspace holder
  WHERE holder.id = workspace_member.workspace_id AND (holder.organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))))
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON workspace_member TO armature_service;

CREATE TABLE workspace_team (
  workspace_id uuid NOT NULL,
  team_id uuid NOT NULL,
  role smallint NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT workspace_team_pkey PRIMARY KEY (workspace_id, team_id),
  CONSTRAINT workspace_team_team_id_fkey FOREIGN KEY (team_id) REFERENCES team(id),
  CONSTRAINT workspace_team_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspace(id)
);
CREATE INDEX workspace_team_team ON workspace_team (team_id);
CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF workspace_id, team_id ON workspace_team
  FOR EACH ROW
  WHEN (old.workspace_id IS DISTINCT FROM new.workspace_id OR old.team_id IS DISTINCT FROM new.team_id)
  EXECUTE FUNCTION assert_scope_unchanged();
CREATE TRIGGER audited AFTER INSERT OR DELETE OR UPDATE ON workspace_team
  FOR EACH ROW
  EXECUTE FUNCTION audit_of_workspace_team();
ALTER TABLE workspace_team ENABLE ROW LEVEL SECURITY;
CREATE POLICY "select" ON workspace_team FOR SELECT
  USING ((EXISTS (SELECT
   FROM workspace holder
  WHERE holder.id = workspace_team.workspace_id))
      OR (SELECT is_system_actor()));
CREATE POLICY insert ON workspace_team FOR INSERT
  WITH CHECK ((workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4)))
      OR (EXISTS (SELECT
   FROM workspace holder
  WHERE holder.id = workspace_team.workspace_id AND (holder.organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))))
      OR (SELECT is_system_actor()));
CREATE POLICY update ON workspace_team FOR UPDATE
  USING ((EXISTS (SELECT
   FROM workspace holder
  WHERE holder.id = workspace_team.workspace_id))
      OR (SELECT is_system_actor()))
  WITH CHECK ((workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4)))
      OR (EXISTS (SELECT
   FROM workspace holder
  WHERE holder.id = workspace_team.workspace_id AND (holder.organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))))
      OR (SELECT is_system_actor()));
CREATE POLICY delete ON workspace_team FOR DELETE
  USING ((workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4)))
      OR (EXISTS (SELECT
   FROM workspace holder
  WHERE holder.id = workspace_team.workspace_id AND (holder.organization_id = ANY ((ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))))))
      OR (SELECT is_system_actor()));
GRANT DELETE, INSERT, SELECT, UPDATE ON workspace_team TO armature_service;

-- Views

CREATE VIEW access_role AS
 WITH granted AS NOT MATERIALIZED (
         SELECT g.user_id,
            w.organization_id,
            w.id AS workspace_id,
            g.role
           FROM ( SELECT workspace_member.user_id,
                    workspace_member.workspace_id,
                    workspace_member.role
                   FROM workspace_member
                UNION ALL
                 SELECT member.user_id,
                    held.workspace_id,
                    held.role
                   FROM workspace_team held
                     JOIN team ON team.id = held.team_id AND team.deleted_at IS NULL
                     JOIN team_member member ON member.team_id = team.id) g
             JOIN workspace w ON w.id = g.workspace_id
             JOIN organization o ON o.id = w.organization_id AND o.deleted_at IS NULL
             JOIN organization_member m ON m.organization_id = w.organization_id AND m.user_id = g.user_id
          WHERE w.status = 'active'::text AND w.deleted_at IS NULL OR g.role >= 4
        ), assigned AS NOT MATERIALIZED (
         SELECT g.user_id,
            g.organization_id,
            a.environment_id,
            g.role
           FROM granted g
             JOIN workspace_environment a ON a.workspace_id = g.workspace_id AND a.deleted_at IS NULL
        )
 SELECT m.user_id,
    m.organization_id,
    'organization'::text AS resource_type,
    m.organization_id AS resource_id,
    m.role
   FROM organization_member m
     JOIN organization o ON o.id = m.organization_id AND o.deleted_at IS NULL
UNION ALL
 SELECT granted.user_id,
    granted.organization_id,
    'workspace'::text AS resource_type,
    granted.workspace_id AS resource_id,
    granted.role
   FROM granted
UNION ALL
 SELECT assigned.user_id,
    assigned.organization_id,
    'environment'::text AS resource_type,
    assigned.environment_id AS resource_id,
    assigned.role
   FROM assigned
UNION ALL
 SELECT a.user_id,
    a.organization_id,
    'connection'::text AS resource_type,
    c.connection_id AS resource_id,
    a.role
   FROM assigned a
     JOIN environment_connection c ON c.environment_id = a.environment_id AND c.deleted_at IS NULL;
GRANT SELECT ON access_role TO armature_service;

CREATE VIEW active_organization AS
 SELECT id
   FROM organization
  WHERE deleted_at IS NULL;
GRANT SELECT ON active_organization TO armature_service;

CREATE VIEW active_workspace AS
 SELECT id
   FROM workspace
  WHERE status = 'active'::text AND deleted_at IS NULL;
GRANT SELECT ON active_workspace TO armature_service;

CREATE VIEW published_design AS
 SELECT d.id,
    d.organization_id,
    d.workspace_id,
    p.name,
    d.user_id,
    d.visibility,
    p.source_type,
    p.number AS version_number,
    p.version,
    jsonb_build_object('type', d.location ->> 'type'::text, 'host', '', 'path', '', 'branch', '') AS location,
    NULL::jsonb AS cloned_from,
    d.catalog_data,
    p.unsupported,
    d.deployment_count,
    d.clone_count,
    d.download_count,
    p.technologies,
    p.created_at,
    p.published_at AS updated_at,
    d.deleted_at,
    d.revision
   FROM publication p
     JOIN design d ON d.id = p.design_id AND d.deleted_at IS NULL
     JOIN active_workspace w ON w.id = d.workspace_id;
GRANT SELECT ON published_design TO armature_service;

-- Functions

CREATE OR REPLACE FUNCTION public.administrators_of(organization uuid, workspace uuid, needed integer)
 RETURNS TABLE(user_id uuid, role smallint)
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
  RETURN QUERY SELECT r.user_id, max(r.role) FROM access_role r
   WHERE r.organization_id = organization AND r.role >= needed
     AND (r.resource_type = 'organization' OR (r.resource_type = 'workspace' AND r.resource_id = workspace))
   GROUP BY r.user_id;
END
$function$;
GRANT EXECUTE ON FUNCTION administrators_of(uuid,uuid,integer) TO armature_service;

CREATE OR REPLACE FUNCTION public.append_events(events jsonb)
 RETURNS TABLE(organization_id uuid, sequence bigint, category text, action text, acted_upon uuid)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
#variable_conflict use_column
DECLARE
  caller text := nullif(current_setting('armature.user', true), '');
  one jsonb;
  owner uuid;
  checked uuid;
  number bigint;
BEGIN
  FOR one IN SELECT jsonb_array_elements(events) LOOP
    EXIT WHEN caller = 'system';
    owner := (one ->> 'organization_id')::uuid;
    IF caller IS NULL OR (one ->> 'user_id') IS DISTINCT FROM caller
      OR (owner <> coalesce(checked, '00000000-0000-0000-0000-000000000000'::uuid) AND NOT EXISTS (
        SELECT FROM access_role held
         WHERE held.user_id = caller::uuid AND held.resource_type = 'organization' AND held.resource_id = owner AND held.role >= 1))
    THEN
      RAISE insufficient_privilege USING MESSAGE = 'events are appended in the name of their user, to organizations of that user';
    END IF;
    checked := owner;
  END LOOP;
  IF jsonb_array_length(events) = 1 THEN
    one := events -> 0;
    owner := (one ->> 'organization_id')::uuid;
    INSERT INTO event_counter AS counter (feed, last) VALUES (coalesce(owner, '00000000-0000-0000-0000-000000000000'::uuid), 1)
      ON CONFLICT (feed) DO UPDATE SET last = counter.last + 1 RETURNING counter.last INTO number;
    RETURN QUERY INSERT INTO event (id, sequence, organization_id, workspace_id, user_id, system_actor, acted_upon, operation_id,
        category, action, severity, description, metadata, created_at, change_set)
      VALUES ((one ->> 'id')::uuid, number, owner, (one ->> 'workspace_id')::uuid, (one ->> 'user_id')::uuid,
              one ->> 'system_actor', (one ->> 'acted_upon')::uuid, (one ->> 'operation_id')::uuid, one ->> 'category',
              one ->> 'action', one ->> 'severity', one ->> 'description', one -> 'metadata', clock_timestamp(),
              nullif(current_setting('armature.change_set', true), '')::bigint)
      RETURNING event.organization_id, event.sequence, event.category, event.action, event.acted_upon;
    RETURN;
  END IF;
  RETURN QUERY WITH given AS (
    SELECT t.*, coalesce(t.organization_id, '00000000-0000-0000-0000-000000000000'::uuid) AS feed,
           row_number() OVER (PARTITION BY t.organization_id ORDER BY t.place) AS nth
      FROM ROWS FROM (jsonb_to_recordset(events) AS (
        id uuid, organization_id uuid, workspace_id uuid, user_id uuid, system_actor text, acted_upon uuid,
        operation_id uuid, category text, action text, severity text, description text, metadata jsonb
      )) WITH ORDINALITY AS t (id, organization_id, workspace_id, user_id, system_actor, acted_upon,
        operation_id, category, action, severity, description, metadata, place)
  ), counted AS (
    INSERT INTO event_counter AS counter (feed, last)
    SELECT given.feed, count(*) FROM given GROUP BY given.feed ORDER BY given.feed
    ON CONFLICT (feed) DO UPDATE SET last = counter.last + excluded.last
    RETURNING counter.feed, counter.last
  )
  INSERT INTO event (id, sequence, organization_id, workspace_id, user_id, system_actor, acted_upon, operation_id,
        category, action, severity, description, metadata, created_at, change_set)
  SELECT given.id, counted.last - count(*) OVER (PARTITION BY given.feed) + given.nth, given.organization_id, given.workspace_id,
         given.user_id, given.system_actor, given.acted_upon, given.operation_id, given.category, given.action, given.severity,
         given.description, given.metadata, clock_timestamp(),
         nullif(current_setting('armature.change_set', true), '')::bigint
    FROM given JOIN counted USING (feed) ORDER BY given.place
  RETURNING event.organization_id, event.sequence, event.category, event.action, event.acted_upon;
END
$function$;
GRANT EXECUTE ON FUNCTION append_events(jsonb) TO armature_service;

CREATE OR REPLACE FUNCTION public.assert_scope_unchanged()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF current_setting('armature.user', true) IS DISTINCT FROM 'system' AND row_security_active(TG_RELID) THEN
    RAISE insufficient_privilege USING MESSAGE = format('a protected column of %s is changed by the system only', TG_TABLE_NAME);
  END IF;
  RETURN NEW;
END
$function$;

CREATE OR REPLACE FUNCTION public.audit_attach()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $functionx$
DECLARE
  target record;
  field record;
  shown text;
  members text;
  olds text;
  news text;
  identity text;
  owner text;
  gone text;
BEGIN
  FOR target IN
    SELECT c.oid, c.relname AS name, regexp_replace(c.relname, '^app_', '') AS type FROM pg_class c
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
       -- Thousands of rows change at once, which one event with counts reports.
       AND c.relname <> ALL (ARRAY['model', 'component', 'relationship', 'registrant', 'connection_definition',
         'registered_package', 'registry_revision', 'component_schema'])
       -- Audited although their rows have no revision.
       AND (c.relname = ANY (ARRAY['organization_member', 'team_member', 'workspace_member', 'workspace_team', 'session',
         'publication']) OR EXISTS (
         SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'revision' AND NOT a.attisdropped))
  LOOP
    members := '';
    olds := '''{}''::jsonb';
    news := '''{}''::jsonb';
    FOR field IN
      SELECT attname AS name, atttypid = 'bytea'::regtype
               OR (attname ~ '(password|secret|token|hash|private)' AND attname !~ '_(at|by|id|names)$')
               -- These may contain secrets.
               OR target.name || '.' || attname = ANY (ARRAY['deployment.options', 'filter.config', 'connection.fingerprint']) AS secret
        FROM pg_attribute
       WHERE attrelid = target.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
         -- These change without a change of the record by a user.
         AND attname <> ALL (ARRAY['created_at', 'updated_at', 'revision', 'last_used_at', 'deployment_count', 'clone_count',
           'download_count'])
         AND target.name || '.' || attname <> ALL (ARRAY['deployment.resources', 'session.expires_at', 'webhook.slow',
           'webhook.failing_since', 'webhook.noticed_at'])
       ORDER BY attnum
    LOOP
      shown := CASE
        WHEN field.secret THEN 'CASE WHEN %1$s.%2$I IS NOT NULL THEN ''"[redacted]"''::jsonb END'
        WHEN field.name = 'url' THEN 'to_jsonb(regexp_replace(%1$s.%2$I, ''^([a-z0-9+.-]+://)([^/?#]*@)?([^/?#]*).*$'', ''\1\3''))'
        ELSE 'to_jsonb(%1$s.%2$I)' END;
      members := members || CASE members WHEN '' THEN '' ELSE ', ' END
        || format('%L, ', field.name) || format(shown, 'RECORD', field.name);
      olds := olds || format(' || CASE WHEN OLD.%1$I IS DISTINCT FROM NEW.%1$I THEN jsonb_build_object(%1$L, ', field.name)
        || format(shown, 'OLD', field.name) || ') ELSE ''{}'' END';
      news := news || format(' || CASE WHEN OLD.%1$I IS DISTINCT FROM NEW.%1$I THEN jsonb_build_object(%1$L, ', field.name)
        || format(shown, 'NEW', field.name) || ') ELSE ''{}'' END';
    END LOOP;
    SELECT string_agg(format('RECORD.%I::text', a.attname), ' || '':'' || ' ORDER BY a.attnum) INTO identity
      FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
     WHERE i.indrelid = target.oid AND i.indisprimary;
    SELECT CASE
        WHEN target.name = 'organization' THEN 'RECORD.id'
        WHEN 'organization_id' = ANY (names) THEN 'RECORD.organization_id'
        WHEN 'workspace_id' = ANY (names) THEN '(SELECT h.organization_id FROM workspace h WHERE h.id = RECORD.workspace_id)'
        WHEN 'environment_id' = ANY (names) THEN '(SELECT h.organization_id FROM environment h WHERE h.id = RECORD.environment_id)'
        WHEN 'team_id' = ANY (names) THEN '(SELECT h.organization_id FROM team h WHERE h.id = RECORD.team_id)'
        WHEN 'design_id' = ANY (names) THEN '(SELECT h.organization_id FROM design h WHERE h.id = RECORD.design_id)'
        WHEN 'user_id' = ANY (names) THEN '(SELECT h.organization_id FROM app_user h WHERE h.id = RECORD.user_id)'
        ELSE 'NULL' END,
        CASE WHEN 'deleted_at' = ANY (names) THEN
          'CASE WHEN OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL THEN ''deleted''
                WHEN OLD.deleted_at IS NOT NULL AND NEW.deleted_at IS NULL THEN ''restored'' ELSE ''updated'' END'
        ELSE '''updated''' END
      INTO owner, gone
      FROM (SELECT array_agg(attname::text) AS names FROM pg_attribute
             WHERE attrelid = target.oid AND attnum > 0 AND NOT attisdropped) AS fields;
    EXECUTE format($function$
      CREATE OR REPLACE FUNCTION %1$I() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $body$
        DECLARE
          verb text;
          was jsonb;
          became jsonb;
          record_id text;
          owner_id uuid;
        BEGIN
          -- One statement, because PL/pgSQL initializes each expression in every transaction.
          IF TG_OP = 'INSERT' THEN
            INSERT INTO audit_pending (transaction, chain, source, action, resource_type, resource_id, after, acting, context,
                                       created_at, change_set)
            VALUES (pg_current_xact_id()::text::bigint, coalesce(%10$s, '00000000-0000-0000-0000-000000000000'), 'change',
                    %11$L || 'created', %12$L, %8$s, %6$s,
                    coalesce(current_setting('armature.user', true), 'database ' || session_user),
                    nullif(current_setting('armature.request', true), ''), clock_timestamp(),
                    -- The first change of a transaction takes its number, by which its events are read when it is sealed.
                    CASE WHEN nullif(current_setting('armature.change_set', true), '')::bigint IS NULL
                      THEN set_config('armature.change_set', nextval('audit_change_set')::text, true)::bigint END);
            RETURN NULL;
          ELSIF TG_OP = 'UPDATE' THEN
            was := %2$s;
            became := %3$s;
            IF was = '{}' AND became = '{}' THEN RETURN NULL; END IF;
            verb := %4$s;
          ELSE
            verb := 'deleted';
            was := %5$s;
          END IF;
          IF TG_OP = 'DELETE' THEN
            record_id := %7$s;
            owner_id := %9$s;
          ELSE
            record_id := %8$s;
            owner_id := %10$s;
          END IF;
          INSERT INTO audit_pending (transaction, chain, source, action, resource_type, resource_id, before, after, acting, context,
                                     created_at, change_set)
          VALUES (pg_current_xact_id()::text::bigint, coalesce(owner_id, '00000000-0000-0000-0000-000000000000'), 'change',
                  %11$L || verb, %12$L, record_id, was, became,
                  coalesce(current_setting('armature.user', true), 'database ' || session_user),
                  nullif(current_setting('armature.request', true), ''), clock_timestamp(),
                  -- The first change of a transaction takes its number, by which its events are read when it is sealed.
                  CASE WHEN nullif(current_setting('armature.change_set', true), '')::bigint IS NULL
                    THEN set_config('armature.change_set', nextval('audit_change_set')::text, true)::bigint END);
          RETURN NULL;
        END $body$
      $function$, 'audit_of_' || target.name, olds, news, gone,
      'jsonb_build_object(' || replace(members, 'RECORD.', 'OLD.') || ')',
      'jsonb_build_object(' || replace(members, 'RECORD.', 'NEW.') || ')',
      replace(identity, 'RECORD.', 'OLD.'), replace(identity, 'RECORD.', 'NEW.'),
      replace(owner, 'RECORD.', 'OLD.'), replace(owner, 'RECORD.', 'NEW.'),
      target.type || '.', target.type);
    IF NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = target.oid AND tgname = 'audited') THEN
      EXECUTE format('CREATE TRIGGER audited AFTER INSERT OR UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION %I()',
        target.name, 'audit_of_' || target.name);
    END IF;
  END LOOP;
END
$functionx$;

CREATE OR REPLACE FUNCTION public.audit_erase(of_chain uuid, person uuid, address text, most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  erased integer;
  pattern text := '(?<![\w.+-])' || regexp_replace(address, '([^\w@])', '\\\1', 'g') || '(?![\w-]|\.\w)';
BEGIN
  IF NOT (SELECT current_setting('armature.user', true) = 'system') THEN
    RAISE insufficient_privilege USING MESSAGE = 'the system erases personal data';
  END IF;
  UPDATE audit_entry entry SET
      personal = CASE WHEN found.acts THEN NULL ELSE entry.personal END,
      personal_salt = CASE WHEN found.acts THEN NULL ELSE entry.personal_salt END,
      details = CASE WHEN found.tells THEN NULL ELSE entry.details END,
      details_salt = CASE WHEN found.tells THEN NULL ELSE entry.details_salt END
    FROM (SELECT id, coalesce(actor_id = person OR on_behalf_of = person, false) AS acts,
                 coalesce(resource_id = person::text OR (address <> '' AND details ~* pattern), false) AS tells
            FROM audit_entry
           WHERE chain = of_chain
             AND ((personal IS NOT NULL AND (actor_id = person OR on_behalf_of = person))
               OR (details IS NOT NULL AND (resource_id = person::text OR (address <> '' AND details ~* pattern))))
             AND action <> 'audit.personal_data_erased'
           LIMIT most) AS found
   WHERE entry.id = found.id;
  GET DIAGNOSTICS erased = ROW_COUNT;
  RETURN erased;
END
$function$;
GRANT EXECUTE ON FUNCTION audit_erase(uuid,uuid,text,integer) TO armature_service;

CREATE OR REPLACE FUNCTION public.audit_event()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  -- How far a deployment has come is no change of anything.
  IF NEW.category = 'deployment' AND NEW.action = 'progress' THEN RETURN NULL; END IF;
  INSERT INTO audit_pending (transaction, chain, source, action, resource_type, resource_id, after, acting, context, created_at)
  VALUES (pg_current_xact_id()::text::bigint, coalesce(NEW.organization_id, '00000000-0000-0000-0000-000000000000'), 'event',
          NEW.category || '.' || NEW.action, NEW.category, NEW.acted_upon,
          jsonb_build_object('event_id', NEW.id, 'workspace_id', NEW.workspace_id, 'system_actor', NEW.system_actor,
                             'metadata', NEW.metadata),
          coalesce(NEW.user_id::text, 'system'), nullif(current_setting('armature.request', true), ''), clock_timestamp());
  RETURN NULL;
END
$function$;

CREATE OR REPLACE FUNCTION public.audit_prune(of_chain uuid, through bigint, most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  gone integer;
BEGIN
  IF NOT (SELECT current_setting('armature.user', true) = 'system')
      OR NOT EXISTS (SELECT FROM audit_checkpoint WHERE chain = of_chain AND sequence = through) THEN
    RAISE insufficient_privilege USING MESSAGE = 'entries are removed up to a signed head only';
  END IF;
  UPDATE audit_chain SET removed = through WHERE chain = of_chain AND removed < through;
  DELETE FROM audit_entry WHERE id IN (
    SELECT id FROM audit_entry WHERE chain = of_chain AND sequence <= through
       AND created_at < now() - interval '1 day' ORDER BY sequence LIMIT most);
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END
$function$;
GRANT EXECUTE ON FUNCTION audit_prune(uuid,bigint,integer) TO armature_service;

CREATE OR REPLACE FUNCTION public.concerned_organization(actor uuid, needed integer)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
  concerned uuid := nullif(current_setting('armature.organization', true), '')::uuid;
BEGIN
  IF concerned IS NULL THEN
    RETURN (SELECT resource_id FROM access_role
      WHERE user_id = actor AND resource_type = 'organization' AND role >= needed LIMIT 1);
  END IF;
  RETURN (SELECT resource_id FROM access_role
    WHERE user_id = actor AND resource_type = 'organization' AND resource_id = concerned AND role >= needed);
END
$function$;
GRANT EXECUTE ON FUNCTION concerned_organization(uuid,integer) TO armature_service;

CREATE OR REPLACE FUNCTION public.count_added()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  INSERT INTO record_total (organization_id, record, amount)
    SELECT organization_id, TG_TABLE_NAME, count(*) FROM added WHERE deleted_at IS NULL GROUP BY organization_id;
  RETURN NULL;
END
$function$;

CREATE OR REPLACE FUNCTION public.count_changed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  IF OLD.deleted_at IS NULL THEN
    INSERT INTO record_total (organization_id, record, amount) VALUES (OLD.organization_id, TG_TABLE_NAME, -1);
  END IF;
  IF NEW.deleted_at IS NULL THEN
    INSERT INTO record_total (organization_id, record, amount) VALUES (NEW.organization_id, TG_TABLE_NAME, 1);
  END IF;
  RETURN NULL;
END
$function$;

CREATE OR REPLACE FUNCTION public.count_removed()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  INSERT INTO record_total (organization_id, record, amount)
    SELECT organization_id, TG_TABLE_NAME, -count(*) FROM removed WHERE deleted_at IS NULL GROUP BY organization_id;
  RETURN NULL;
END
$function$;

CREATE OR REPLACE FUNCTION public.current_actor_id()
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
BEGIN
  RETURN nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid;
END
$function$;
GRANT EXECUTE ON FUNCTION current_actor_id() TO armature_service;

CREATE OR REPLACE FUNCTION public.event_erase(of_feed uuid, address text, after bigint, most integer, OUT events integer, OUT deliveries integer, OUT last bigint)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  -- The address by itself, and not within another one.
  pattern text := '(?<![\w.+-])' || regexp_replace(address, '([^\w@])', '\\\1', 'g') || '(?![\w-]|\.\w)';
  met uuid[];
BEGIN
  IF NOT (SELECT current_setting('armature.user', true) = 'system') OR address = '' THEN
    RAISE insufficient_privilege USING MESSAGE = 'the system erases personal data';
  END IF;
  SELECT max(sequence) INTO last FROM (
    -- The expression of the index event_feed.
    SELECT sequence FROM event
     WHERE (CASE WHEN organization_id IS NULL THEN '00000000-0000-0000-0000-000000000000'::uuid ELSE organization_id END) = of_feed
       AND sequence > after ORDER BY sequence LIMIT most) AS batch;
  WITH changed AS (
    UPDATE event SET description = regexp_replace(description, pattern, '[erased]', 'gi'),
                     metadata = regexp_replace(metadata::text, pattern, '[erased]', 'gi')::jsonb
     WHERE (CASE WHEN organization_id IS NULL THEN '00000000-0000-0000-0000-000000000000'::uuid ELSE organization_id END) = of_feed
       AND sequence > after AND sequence <= event_erase.last
       AND (description ~* pattern OR metadata::text ~* pattern)
    RETURNING id
  ) SELECT array_agg(id) INTO met FROM changed;
  UPDATE webhook_delivery SET request = regexp_replace(request::text, pattern, '[erased]', 'gi')::jsonb,
                              attempts = regexp_replace(attempts::text, pattern, '[erased]', 'gi')::jsonb
   WHERE event_id = ANY (met) AND webhook_id IN (SELECT id FROM webhook WHERE organization_id = of_feed);
  GET DIAGNOSTICS deliveries = ROW_COUNT;
  events := coalesce(cardinality(met), 0);
END
$function$;
GRANT EXECUTE ON FUNCTION event_erase(uuid,text,bigint,integer) TO armature_service;

CREATE OR REPLACE FUNCTION public.event_erase_subject(person uuid)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  erased integer;
BEGIN
  IF NOT (SELECT current_setting('armature.user', true) = 'system') THEN
    RAISE insufficient_privilege USING MESSAGE = 'the system erases personal data';
  END IF;
  UPDATE event SET metadata = metadata || '{"subject": "[erased]"}'
   WHERE acted_upon = person AND organization_id IS NULL AND category = 'user' AND metadata->>'subject' <> '[erased]';
  GET DIAGNOSTICS erased = ROW_COUNT;
  RETURN erased;
END
$function$;
GRANT EXECUTE ON FUNCTION event_erase_subject(uuid) TO armature_service;

CREATE OR REPLACE FUNCTION public.find_by_name(wanted text, most integer)
 RETURNS TABLE(type text, id uuid, match integer)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
DECLARE
  caller uuid := current_actor_id();
  administered uuid[] := ARRAY(SELECT organizations_of(caller, 5));
  joined uuid[] := ARRAY(SELECT organizations_of(caller, 1));
  of_workspace uuid[] := ARRAY(SELECT granted_resources(caller, 'workspace'));
  of_environment uuid[] := ARRAY(SELECT granted_resources(caller, 'environment'));
  of_connection uuid[] := ARRAY(SELECT granted_resources(caller, 'connection'));
  beginning text := regexp_replace(lower(wanted), '([\\%_])', '\\\1', 'g') || '%';
  pattern text := CASE WHEN length(wanted) < 3 THEN beginning ELSE '%' || beginning END;
  found integer;
BEGIN
  RETURN QUERY SELECT 'design', r.id, match_of(r.name, wanted) FROM design r
    WHERE r.organization_id = ANY (joined) AND r.name ILIKE pattern AND r.deleted_at IS NULL
      AND (r.organization_id = ANY (administered) OR r.workspace_id = ANY (of_workspace)
        OR (r.visibility = 'organization' AND r.workspace_id IN (SELECT w.id FROM active_workspace w)))
    ORDER BY 3, lower(r.name), r.created_at DESC, r.id LIMIT most;
  RETURN QUERY SELECT 'deployment', r.id, match_of(r.name, wanted) FROM deployment r
    WHERE r.organization_id = ANY (joined) AND r.name ILIKE pattern AND r.deleted_at IS NULL
      AND (r.organization_id = ANY (administered) OR r.workspace_id = ANY (of_workspace))
    ORDER BY 3, lower(r.name), r.created_at DESC, r.id LIMIT most;
  RETURN QUERY SELECT 'environment', r.id, match_of(r.name, wanted) FROM environment r
    WHERE r.organization_id = ANY (joined) AND r.name ILIKE pattern AND r.deleted_at IS NULL
      AND (r.organization_id = ANY (administered) OR r.id = ANY (of_environment))
    ORDER BY 3, lower(r.name), r.created_at DESC, r.id LIMIT most;
  RETURN QUERY SELECT 'workspace', r.id, match_of(r.name, wanted) FROM workspace r
    WHERE r.organization_id = ANY (joined) AND r.name ILIKE pattern AND r.deleted_at IS NULL
      AND (r.organization_id = ANY (administered) OR r.id = ANY (of_workspace))
    ORDER BY 3, lower(r.name), r.created_at DESC, r.id LIMIT most;
  RETURN QUERY SELECT 'connection', r.id, match_of(r.name, wanted) FROM connection r
    WHERE r.organization_id = ANY (joined) AND r.name ILIKE pattern AND r.deleted_at IS NULL
      AND (r.organization_id = ANY (administered) OR r.id = ANY (of_connection))
    ORDER BY 3, lower(r.name), r.created_at DESC, r.id LIMIT most;
  -- There may be hundreds of thousands of resources, so that matches at the beginning, which an index has in order, are
  -- read first; the name itself is the first of them.
  RETURN QUERY SELECT 'resource', r.id, match_of(r.name, wanted) FROM cluster_resource r
    WHERE lower(r.name) COLLATE "C" LIKE beginning
      AND (r.organization_id = ANY (administered) OR r.connection_id = ANY (of_connection))
    ORDER BY lower(r.name) COLLATE "C", r.id LIMIT most;
  GET DIAGNOSTICS found = ROW_COUNT;
  IF found < most AND length(wanted) >= 3 THEN
    RETURN QUERY SELECT 'resource', r.id, 2 FROM cluster_resource r
      WHERE r.name ILIKE pattern AND NOT starts_with(lower(r.name), lower(wanted))
        AND (r.organization_id = ANY (administered) OR r.connection_id = ANY (of_connection))
      ORDER BY lower(r.name) COLLATE "C", r.id LIMIT most - found;
  END IF;
END
$function$;
GRANT EXECUTE ON FUNCTION find_by_name(text,integer) TO armature_service;

CREATE OR REPLACE FUNCTION public.granted_resources(actor uuid, kind text)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
  CASE kind
    WHEN 'organization' THEN
      RETURN QUERY SELECT resource_id FROM access_role
        WHERE user_id = actor AND resource_type = 'organization';
    WHEN 'workspace' THEN
      RETURN QUERY SELECT resource_id FROM access_role
        WHERE user_id = actor AND resource_type = 'workspace';
    WHEN 'environment' THEN
      RETURN QUERY SELECT resource_id FROM access_role
        WHERE user_id = actor AND resource_type = 'environment';
    WHEN 'connection' THEN
      RETURN QUERY SELECT resource_id FROM access_role
        WHERE user_id = actor AND resource_type = 'connection';
    -- Kinds that the view does not have are granted to nobody.
    ELSE NULL;
  END CASE;
END
$function$;
GRANT EXECUTE ON FUNCTION granted_resources(uuid,text) TO armature_service;

CREATE OR REPLACE FUNCTION public.granted_resources(actor uuid, kind text, needed integer)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
  CASE kind
    WHEN 'organization' THEN
      RETURN QUERY SELECT resource_id FROM access_role
        WHERE user_id = actor AND resource_type = 'organization' AND role >= needed;
    WHEN 'workspace' THEN
      RETURN QUERY SELECT resource_id FROM access_role
        WHERE user_id = actor AND resource_type = 'workspace' AND role >= needed;
    WHEN 'environment' THEN
      RETURN QUERY SELECT resource_id FROM access_role
        WHERE user_id = actor AND resource_type = 'environment' AND role >= needed;
    WHEN 'connection' THEN
      RETURN QUERY SELECT resource_id FROM access_role
        WHERE user_id = actor AND resource_type = 'connection' AND role >= needed;
    -- Kinds that the view does not have are granted to nobody.
    ELSE NULL;
  END CASE;
END
$function$;
GRANT EXECUTE ON FUNCTION granted_resources(uuid,text,integer) TO armature_service;

CREATE OR REPLACE FUNCTION public.is_system_actor()
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
BEGIN
  RETURN current_setting('armature.user', true) = 'system';
END
$function$;
GRANT EXECUTE ON FUNCTION is_system_actor() TO armature_service;

CREATE OR REPLACE FUNCTION public.kept_total(organization uuid, kind text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  caller text := current_setting('armature.user', true);
BEGIN
  IF caller IS DISTINCT FROM 'system' AND NOT EXISTS (
      SELECT FROM organization_member m JOIN organization o ON o.id = m.organization_id AND o.deleted_at IS NULL
       WHERE m.organization_id = organization AND m.role >= 5
         AND m.user_id = nullif(nullif(caller, ''), 'system')::uuid) THEN
    RETURN NULL;
  END IF;
  RETURN (SELECT sum(t.amount) FROM record_total t WHERE t.organization_id = organization AND t.record = kind);
END
$function$;
GRANT EXECUTE ON FUNCTION kept_total(uuid,text) TO armature_service;

CREATE OR REPLACE FUNCTION public.kept_version(organization uuid, kind text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
DECLARE
  caller text := current_setting('armature.user', true);
BEGIN
  IF caller IS DISTINCT FROM 'system' AND NOT EXISTS (
      SELECT FROM organization_member m JOIN organization o ON o.id = m.organization_id AND o.deleted_at IS NULL
       WHERE m.organization_id = organization AND m.role >= 5
         AND m.user_id = nullif(nullif(caller, ''), 'system')::uuid) THEN
    RETURN NULL;
  END IF;
  RETURN (SELECT md5(string_agg(t.id::text, ',' ORDER BY t.id)) FROM record_total t
    WHERE t.organization_id = organization AND t.record = kind);
END
$function$;
GRANT EXECUTE ON FUNCTION kept_version(uuid,text) TO armature_service;

CREATE OR REPLACE FUNCTION public.mark_idempotent_write(of_caller text, of_route text, of_key text, of_claim uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  IF pg_current_xact_id_if_assigned() IS NULL THEN
    RETURN;
  END IF;
  UPDATE idempotency_key SET has_written = true
   WHERE caller = of_caller AND route = of_route AND key = of_key AND claim = of_claim;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'another request has taken over the idempotency key';
  END IF;
END
$function$;
GRANT EXECUTE ON FUNCTION mark_idempotent_write(text,text,text,uuid) TO armature_service;

CREATE OR REPLACE FUNCTION public.match_of(name text, wanted text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT CASE WHEN lower(name) = lower(wanted) THEN 0 WHEN starts_with(lower(name), lower(wanted)) THEN 1 ELSE 2 END
$function$;
GRANT EXECUTE ON FUNCTION match_of(text,text) TO armature_service;

CREATE OR REPLACE FUNCTION public.notify_membership()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('armature_memberships', coalesce(NEW.user_id, OLD.user_id)::text);
  RETURN NULL;
END
$function$;

CREATE OR REPLACE FUNCTION public.notify_memberships()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('armature_memberships', '');
  RETURN NULL;
END
$function$;

CREATE OR REPLACE FUNCTION public.organizations_of(actor uuid, needed integer)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
  RETURN QUERY SELECT resource_id FROM access_role
    WHERE user_id = actor AND resource_type = 'organization' AND role >= needed;
END
$function$;
GRANT EXECUTE ON FUNCTION organizations_of(uuid,integer) TO armature_service;

CREATE OR REPLACE FUNCTION public.role_on(actor uuid, organization uuid, kind text, resource uuid)
 RETURNS smallint
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
DECLARE
  held smallint := (SELECT role FROM access_role
    WHERE user_id = actor AND resource_type = 'organization' AND resource_id = organization);
BEGIN
  IF held >= 5 OR kind = 'organization' THEN
    RETURN held;
  END IF;
  RETURN (SELECT max(role) FROM access_role WHERE user_id = actor AND resource_type = kind AND resource_id = resource);
END
$function$;
GRANT EXECUTE ON FUNCTION role_on(uuid,uuid,text,uuid) TO armature_service;

CREATE OR REPLACE FUNCTION public.roles_in(organization uuid, actors uuid[])
 RETURNS TABLE(user_id uuid, organization_id uuid, resource_type text, resource_id uuid, role smallint)
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
  RETURN QUERY SELECT r.* FROM access_role r WHERE r.user_id = ANY (actors) AND r.organization_id = organization;
END
$function$;
GRANT EXECUTE ON FUNCTION roles_in(uuid,uuid[]) TO armature_service;

CREATE OR REPLACE FUNCTION public.roles_of(actor uuid)
 RETURNS TABLE(user_id uuid, organization_id uuid, resource_type text, resource_id uuid, role smallint)
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
BEGIN
  RETURN QUERY SELECT r.* FROM access_role r WHERE r.user_id = actor;
END
$function$;
GRANT EXECUTE ON FUNCTION roles_of(uuid) TO armature_service;

CREATE OR REPLACE FUNCTION public.search_connection(organization uuid, pattern text, most integer)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
DECLARE
  caller text := current_setting('armature.user', true);
  found uuid[];
BEGIN
  IF caller IS DISTINCT FROM 'system' AND NOT EXISTS (SELECT FROM organization_member m
      WHERE m.organization_id = organization AND m.user_id = nullif(nullif(caller, ''), 'system')::uuid) THEN
    RETURN '{}';
  END IF;
  -- In an organization that has most of all records, the index is searched by the pattern only: intersecting all entries
  -- of the organization takes longer than filtering the few matches of others. IS NOT DISTINCT FROM cannot use the index.
  IF (SELECT sum(t.amount) FROM record_total t WHERE t.organization_id = organization AND t.record = 'connection')
      > 0.25 * (SELECT c.reltuples FROM pg_class c WHERE c.oid = 'connection'::regclass) THEN
    found := ARRAY(SELECT id FROM connection
      WHERE organization_id IS NOT DISTINCT FROM organization AND name ILIKE pattern LIMIT most + 1);
  ELSE
    found := ARRAY(SELECT id FROM connection WHERE organization_id = organization AND name ILIKE pattern LIMIT most + 1);
  END IF;
  RETURN CASE WHEN cardinality(found) <= most THEN found END;
END
$function$;
GRANT EXECUTE ON FUNCTION search_connection(uuid,text,integer) TO armature_service;

CREATE OR REPLACE FUNCTION public.search_credential(organization uuid, pattern text, most integer)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
DECLARE
  caller text := current_setting('armature.user', true);
  found uuid[];
BEGIN
  IF caller IS DISTINCT FROM 'system' AND NOT EXISTS (SELECT FROM organization_member m
      WHERE m.organization_id = organization AND m.user_id = nullif(nullif(caller, ''), 'system')::uuid) THEN
    RETURN '{}';
  END IF;
  found := ARRAY(SELECT t.id FROM credential t
    WHERE t.organization_id = organization AND t.name ILIKE pattern LIMIT most + 1);
  RETURN CASE WHEN cardinality(found) <= most THEN found END;
END
$function$;
GRANT EXECUTE ON FUNCTION search_credential(uuid,text,integer) TO armature_service;

CREATE OR REPLACE FUNCTION public.search_deployment(organization uuid, pattern text, most integer)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
DECLARE
  caller text := current_setting('armature.user', true);
  found uuid[];
BEGIN
  IF caller IS DISTINCT FROM 'system' AND NOT EXISTS (SELECT FROM organization_member m
      WHERE m.organization_id = organization AND m.user_id = nullif(nullif(caller, ''), 'system')::uuid) THEN
    RETURN '{}';
  END IF;
  -- In an organization that has most of all records, the index is searched by the pattern only: intersecting all entries
  -- of the organization takes longer than filtering the few matches of others. IS NOT DISTINCT FROM cannot use the index.
  IF (SELECT sum(t.amount) FROM record_total t WHERE t.organization_id = organization AND t.record = 'deployment')
      > 0.25 * (SELECT c.reltuples FROM pg_class c WHERE c.oid = 'deployment'::regclass) THEN
    found := ARRAY(SELECT id FROM deployment
      WHERE organization_id IS NOT DISTINCT FROM organization AND name ILIKE pattern LIMIT most + 1);
  ELSE
    found := ARRAY(SELECT id FROM deployment WHERE organization_id = organization AND name ILIKE pattern LIMIT most + 1);
  END IF;
  RETURN CASE WHEN cardinality(found) <= most THEN found END;
END
$function$;
GRANT EXECUTE ON FUNCTION search_deployment(uuid,text,integer) TO armature_service;

CREATE OR REPLACE FUNCTION public.search_design(organization uuid, pattern text, most integer)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
DECLARE
  caller text := current_setting('armature.user', true);
  found uuid[];
BEGIN
  IF caller IS DISTINCT FROM 'system' AND NOT EXISTS (SELECT FROM organization_member m
      WHERE m.organization_id = organization AND m.user_id = nullif(nullif(caller, ''), 'system')::uuid) THEN
    RETURN '{}';
  END IF;
  -- In an organization that has most of all records, the index is searched by the pattern only: intersecting all entries
  -- of the organization takes longer than filtering the few matches of others. IS NOT DISTINCT FROM cannot use the index.
  IF (SELECT sum(t.amount) FROM record_total t WHERE t.organization_id = organization AND t.record = 'design')
      > 0.25 * (SELECT c.reltuples FROM pg_class c WHERE c.oid = 'design'::regclass) THEN
    found := ARRAY(SELECT id FROM design
      WHERE organization_id IS NOT DISTINCT FROM organization AND name ILIKE pattern LIMIT most + 1);
  ELSE
    found := ARRAY(SELECT id FROM design WHERE organization_id = organization AND name ILIKE pattern LIMIT most + 1);
  END IF;
  RETURN CASE WHEN cardinality(found) <= most THEN found END;
END
$function$;
GRANT EXECUTE ON FUNCTION search_design(uuid,text,integer) TO armature_service;

CREATE OR REPLACE FUNCTION public.search_environment(organization uuid, pattern text, most integer)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
DECLARE
  caller text := current_setting('armature.user', true);
  found uuid[];
BEGIN
  IF caller IS DISTINCT FROM 'system' AND NOT EXISTS (SELECT FROM organization_member m
      WHERE m.organization_id = organization AND m.user_id = nullif(nullif(caller, ''), 'system')::uuid) THEN
    RETURN '{}';
  END IF;
  -- In an organization that has most of all records, the index is searched by the pattern only: intersecting all entries
  -- of the organization takes longer than filtering the few matches of others. IS NOT DISTINCT FROM cannot use the index.
  IF (SELECT sum(t.amount) FROM record_total t WHERE t.organization_id = organization AND t.record = 'environment')
      > 0.25 * (SELECT c.reltuples FROM pg_class c WHERE c.oid = 'environment'::regclass) THEN
    found := ARRAY(SELECT id FROM environment
      WHERE organization_id IS NOT DISTINCT FROM organization AND name ILIKE pattern LIMIT most + 1);
  ELSE
    found := ARRAY(SELECT id FROM environment WHERE organization_id = organization AND name ILIKE pattern LIMIT most + 1);
  END IF;
  RETURN CASE WHEN cardinality(found) <= most THEN found END;
END
$function$;
GRANT EXECUTE ON FUNCTION search_environment(uuid,text,integer) TO armature_service;

CREATE OR REPLACE FUNCTION public.search_filter(organization uuid, pattern text, most integer)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
DECLARE
  caller text := current_setting('armature.user', true);
  found uuid[];
BEGIN
  IF caller IS DISTINCT FROM 'system' AND NOT EXISTS (SELECT FROM organization_member m
      WHERE m.organization_id = organization AND m.user_id = nullif(nullif(caller, ''), 'system')::uuid) THEN
    RETURN '{}';
  END IF;
  -- In an organization that has most of all records, the index is searched by the pattern only: intersecting all entries
  -- of the organization takes longer than filtering the few matches of others. IS NOT DISTINCT FROM cannot use the index.
  IF (SELECT sum(t.amount) FROM record_total t WHERE t.organization_id = organization AND t.record = 'filter')
      > 0.25 * (SELECT c.reltuples FROM pg_class c WHERE c.oid = 'filter'::regclass) THEN
    found := ARRAY(SELECT id FROM filter
      WHERE organization_id IS NOT DISTINCT FROM organization AND name ILIKE pattern LIMIT most + 1);
  ELSE
    found := ARRAY(SELECT id FROM filter WHERE organization_id = organization AND name ILIKE pattern LIMIT most + 1);
  END IF;
  RETURN CASE WHEN cardinality(found) <= most THEN found END;
END
$function$;
GRANT EXECUTE ON FUNCTION search_filter(uuid,text,integer) TO armature_service;

CREATE OR REPLACE FUNCTION public.search_member(organization uuid, pattern text, most integer)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
DECLARE
  caller text := current_setting('armature.user', true);
  found uuid[];
BEGIN
  IF caller IS DISTINCT FROM 'system' AND NOT EXISTS (SELECT FROM organization_member m
      WHERE m.organization_id = organization AND m.user_id = nullif(nullif(caller, ''), 'system')::uuid) THEN
    RETURN '{}';
  END IF;
  found := ARRAY(SELECT u.id FROM organization_member m JOIN app_user u ON u.id = m.user_id
    WHERE m.organization_id = organization
      AND (u.email ILIKE pattern OR (u.first_name || ' ' || u.last_name) ILIKE pattern) LIMIT most + 1);
  RETURN CASE WHEN cardinality(found) <= most THEN found END;
END
$function$;
GRANT EXECUTE ON FUNCTION search_member(uuid,text,integer) TO armature_service;

CREATE OR REPLACE FUNCTION public.search_team(organization uuid, pattern text, most integer)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
DECLARE
  caller text := current_setting('armature.user', true);
  found uuid[];
BEGIN
  IF caller IS DISTINCT FROM 'system' AND NOT EXISTS (SELECT FROM organization_member m
      WHERE m.organization_id = organization AND m.user_id = nullif(nullif(caller, ''), 'system')::uuid) THEN
    RETURN '{}';
  END IF;
  found := ARRAY(SELECT t.id FROM team t
    WHERE t.organization_id = organization AND t.name ILIKE pattern LIMIT most + 1);
  RETURN CASE WHEN cardinality(found) <= most THEN found END;
END
$function$;
GRANT EXECUTE ON FUNCTION search_team(uuid,text,integer) TO armature_service;

CREATE OR REPLACE FUNCTION public.search_workspace(organization uuid, pattern text, most integer)
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
DECLARE
  caller text := current_setting('armature.user', true);
  found uuid[];
BEGIN
  IF caller IS DISTINCT FROM 'system' AND NOT EXISTS (SELECT FROM organization_member m
      WHERE m.organization_id = organization AND m.user_id = nullif(nullif(caller, ''), 'system')::uuid) THEN
    RETURN '{}';
  END IF;
  -- In an organization that has most of all records, the index is searched by the pattern only: intersecting all entries
  -- of the organization takes longer than filtering the few matches of others. IS NOT DISTINCT FROM cannot use the index.
  IF (SELECT sum(t.amount) FROM record_total t WHERE t.organization_id = organization AND t.record = 'workspace')
      > 0.25 * (SELECT c.reltuples FROM pg_class c WHERE c.oid = 'workspace'::regclass) THEN
    found := ARRAY(SELECT id FROM workspace
      WHERE organization_id IS NOT DISTINCT FROM organization AND name ILIKE pattern LIMIT most + 1);
  ELSE
    found := ARRAY(SELECT id FROM workspace WHERE organization_id = organization AND name ILIKE pattern LIMIT most + 1);
  END IF;
  RETURN CASE WHEN cardinality(found) <= most THEN found END;
END
$function$;
GRANT EXECUTE ON FUNCTION search_workspace(uuid,text,integer) TO armature_service;

CREATE OR REPLACE FUNCTION public.writes_design(actor uuid, design uuid, organization uuid, needed integer)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
BEGIN
  RETURN EXISTS (SELECT FROM design d WHERE d.id = design AND d.organization_id = organization
    AND (d.organization_id IN (SELECT organizations_of(actor, 5))
      OR d.workspace_id IN (SELECT granted_resources(actor, 'workspace', needed))));
END
$function$;
GRANT EXECUTE ON FUNCTION writes_design(uuid,uuid,uuid,integer) TO armature_service;
