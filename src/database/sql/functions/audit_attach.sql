-- Attaches the audit to every table of records: it creates a function audit_of_<table> that writes what an insert,
-- update or delete has changed to audit_pending, and the trigger "audited" that calls it. It runs after each migration,
-- so that a new table or column is audited. Audited are tables with a column "revision", and the memberships below.
-- Replacing a function locks no table, and only missing triggers are created, so that writers and an upgrade do not
-- wait for each other.
CREATE OR REPLACE FUNCTION audit_attach()
  RETURNS void
  LANGUAGE plpgsql
  SET search_path = public, pg_temp
AS $$
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
$$;
