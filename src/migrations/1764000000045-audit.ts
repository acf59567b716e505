import type { MigrationInterface, QueryRunner } from 'typeorm';

const SYSTEM = `(SELECT current_setting('armature.user', true) = 'system')`;
const USER = `(SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)`;
const NIL = '00000000-0000-0000-0000-000000000000';

/** Append-only: rows can be changed or deleted only through the functions below, even by the system. */
const appendOnly = (table: string, read = 'false'): string => `
  ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
  CREATE POLICY reading ON ${table} FOR SELECT USING (${read} OR ${SYSTEM});
  CREATE POLICY adding ON ${table} FOR INSERT WITH CHECK (${SYSTEM});
  CREATE POLICY changing ON ${table} FOR UPDATE USING (false) WITH CHECK (false);
  CREATE POLICY removing ON ${table} FOR DELETE USING (false);
  REVOKE UPDATE, DELETE, TRUNCATE ON ${table} FROM armature_service;
`;

const ofSystem = (table: string): string => `
  ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
  CREATE POLICY reading ON ${table} FOR SELECT USING (${SYSTEM});
  CREATE POLICY adding ON ${table} FOR INSERT WITH CHECK (${SYSTEM});
  CREATE POLICY changing ON ${table} FOR UPDATE USING (${SYSTEM}) WITH CHECK (${SYSTEM});
  CREATE POLICY removing ON ${table} FOR DELETE USING (${SYSTEM});
`;

const ADMINISTERED = `chain = ANY (ARRAY(SELECT organizations_of(${USER}, 5)))`;

/** Tables whose changes are reported by one event with counts, because thousands of rows change at once. */
const EXEMPT = [
  ...['model', 'component', 'relationship', 'registrant', 'connection_definition'],
  ...['registered_package', 'registry_revision', 'component_schema'],
];

/** Tables that are audited although their rows have no revision. */
const MAPPINGS = [
  ...['organization_member', 'team_member', 'workspace_member', 'workspace_team'],
  ...['session', 'publication'],
];

/** Columns that change without a change of the record by a user. */
const IGNORED = [
  ...['created_at', 'updated_at', 'revision', 'last_used_at'],
  ...['deployment_count', 'clone_count', 'download_count'],
];
const IGNORED_OF_TABLE = [
  ...['deployment.resources', 'session.expires_at'],
  ...['webhook.slow', 'webhook.failing_since', 'webhook.noticed_at'],
];
/** Columns that may contain secrets. */
const REDACTED_OF_TABLE = ['deployment.options', 'filter.config', 'connection.fingerprint'];

const list = (words: string[]): string => `ARRAY[${words.map((word) => `'${word}'`).join(', ')}]`;

/**
 * The audit: the records that triggers and the server write with each change, the chain of entries made from them, signed heads of chains,
 * the signing key, and the last forwarded entry.
 */
export class Audit1764000000045 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
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
        created_at timestamptz(3) NOT NULL
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
      CREATE UNIQUE INDEX audit_entry_sequence ON audit_entry (chain, sequence);
      CREATE INDEX audit_entry_actor ON audit_entry (chain, actor_id, sequence);
      CREATE INDEX audit_entry_resource ON audit_entry (chain, resource_id, sequence);
      CREATE INDEX audit_entry_created ON audit_entry (chain, created_at, id);

      CREATE TABLE audit_chain (
        chain uuid PRIMARY KEY,
        last bigint NOT NULL,
        hash text NOT NULL,
        removed bigint NOT NULL DEFAULT 0
      );

      CREATE TABLE audit_key (
        id text PRIMARY KEY,
        public_key text NOT NULL,
        private_key bytea NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now()
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

      ${ofSystem('audit_pending')}
      ${appendOnly('audit_entry', ADMINISTERED)}
      ${ofSystem('audit_chain')}
      ${ofSystem('audit_key')}
      ${appendOnly('audit_checkpoint', ADMINISTERED)}
      ${ofSystem('audit_forwarding')}
      REVOKE UPDATE, TRUNCATE ON audit_pending FROM armature_service;

      -- Writes down an event with the change it tells of.
      CREATE FUNCTION audit_event() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
        BEGIN
          INSERT INTO audit_pending (transaction, chain, source, action, resource_type, resource_id, after, acting, context, created_at)
          VALUES (pg_current_xact_id()::text::bigint, coalesce(NEW.organization_id, '${NIL}'), 'event',
                  NEW.category || '.' || NEW.action, NEW.category, NEW.acted_upon,
                  jsonb_build_object('event_id', NEW.id, 'workspace_id', NEW.workspace_id, 'system_actor', NEW.system_actor,
                                     'metadata', NEW.metadata),
                  coalesce(NEW.user_id::text, 'system'), nullif(current_setting('armature.request', true), ''), clock_timestamp());
          RETURN NULL;
        END $$;
      -- How far a deployment has come is no change of anything.
      CREATE TRIGGER audited AFTER INSERT ON event FOR EACH ROW
        WHEN (NOT (NEW.category = 'deployment' AND NEW.action = 'progress')) EXECUTE FUNCTION audit_event();

      -- Makes the triggers that write down every change of a record, for all tables of records; again after tables have changed.
      CREATE FUNCTION audit_attach() RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $attach$
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
             WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> ALL (${list(EXEMPT)})
               AND (c.relname = ANY (${list(MAPPINGS)}) OR EXISTS (
                 SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'revision' AND NOT a.attisdropped))
          LOOP
            members := '';
            olds := '''{}''::jsonb';
            news := '''{}''::jsonb';
            FOR field IN
              SELECT attname AS name, atttypid = 'bytea'::regtype
                       OR (attname ~ '(password|secret|token|hash|private)' AND attname !~ '_(at|by|id|names)$')
                       OR target.name || '.' || attname = ANY (${list(REDACTED_OF_TABLE)}) AS secret
                FROM pg_attribute
               WHERE attrelid = target.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
                 AND attname <> ALL (${list(IGNORED)}) AND target.name || '.' || attname <> ALL (${list(IGNORED_OF_TABLE)})
               ORDER BY attnum
            LOOP
              shown := CASE
                WHEN field.secret THEN 'CASE WHEN %1$s.%2$I IS NOT NULL THEN ''"[redacted]"''::jsonb END'
                WHEN field.name = 'url' THEN 'to_jsonb(regexp_replace(%1$s.%2$I, ''^([a-z0-9+.-]+://)([^/?#]*@)?([^/?#]*).*$'', ''\\1\\3''))'
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
                  verb text := 'created';
                  was jsonb;
                  became jsonb;
                  record_id text;
                  owner_id uuid;
                BEGIN
                  IF TG_OP = 'UPDATE' THEN
                    was := %2$s;
                    became := %3$s;
                    IF was = '{}' AND became = '{}' THEN RETURN NULL; END IF;
                    verb := %4$s;
                  ELSIF TG_OP = 'DELETE' THEN
                    verb := 'deleted';
                    was := %5$s;
                  ELSE
                    became := %6$s;
                  END IF;
                  IF TG_OP = 'DELETE' THEN
                    record_id := %7$s;
                    owner_id := %9$s;
                  ELSE
                    record_id := %8$s;
                    owner_id := %10$s;
                  END IF;
                  INSERT INTO audit_pending (transaction, chain, source, action, resource_type, resource_id, before, after, acting, context, created_at)
                  VALUES (pg_current_xact_id()::text::bigint, coalesce(owner_id, '${NIL}'), 'change', %11$L || verb, %12$L, record_id, was, became,
                          coalesce(current_setting('armature.user', true), 'database ' || session_user),
                          nullif(current_setting('armature.request', true), ''), clock_timestamp());
                  RETURN NULL;
                END $body$
              $function$, 'audit_of_' || target.name, olds, news, gone,
              'jsonb_build_object(' || replace(members, 'RECORD.', 'OLD.') || ')',
              'jsonb_build_object(' || replace(members, 'RECORD.', 'NEW.') || ')',
              replace(identity, 'RECORD.', 'OLD.'), replace(identity, 'RECORD.', 'NEW.'),
              replace(owner, 'RECORD.', 'OLD.'), replace(owner, 'RECORD.', 'NEW.'),
              target.type || '.', target.type);
            EXECUTE format('CREATE OR REPLACE TRIGGER audited AFTER INSERT OR UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION %I()',
              target.name, 'audit_of_' || target.name);
          END LOOP;
        END $attach$;

      -- Removes the oldest entries of a chain up to a signed head, some at a time; the head stays as what the rest begins with.
      CREATE FUNCTION audit_prune(of_chain uuid, through bigint, most integer) RETURNS integer
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
        DECLARE
          gone integer;
        BEGIN
          IF NOT ${SYSTEM} OR NOT EXISTS (SELECT FROM audit_checkpoint WHERE chain = of_chain AND sequence = through) THEN
            RAISE insufficient_privilege USING MESSAGE = 'entries are removed up to a signed head only';
          END IF;
          UPDATE audit_chain SET removed = through WHERE chain = of_chain AND removed < through;
          DELETE FROM audit_entry WHERE id IN (
            SELECT id FROM audit_entry WHERE chain = of_chain AND sequence <= through
               AND created_at < now() - interval '1 day' ORDER BY sequence LIMIT most);
          GET DIAGNOSTICS gone = ROW_COUNT;
          RETURN gone;
        END $$;

      -- Erases what entries of a chain say of one person; their digests stay, and with them the chain.
      CREATE FUNCTION audit_erase(of_chain uuid, person uuid, address text, most integer) RETURNS integer
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
        DECLARE
          erased integer;
        BEGIN
          IF NOT ${SYSTEM} THEN
            RAISE insufficient_privilege USING MESSAGE = 'the system erases personal data';
          END IF;
          UPDATE audit_entry entry SET
              personal = CASE WHEN found.acts THEN NULL ELSE entry.personal END,
              personal_salt = CASE WHEN found.acts THEN NULL ELSE entry.personal_salt END,
              details = CASE WHEN found.tells THEN NULL ELSE entry.details END,
              details_salt = CASE WHEN found.tells THEN NULL ELSE entry.details_salt END
            FROM (SELECT id, coalesce(actor_id = person OR on_behalf_of = person, false) AS acts,
                         coalesce(resource_id = person::text OR (address <> '' AND strpos(details, address) > 0), false) AS tells
                    FROM audit_entry
                   WHERE chain = of_chain
                     AND ((personal IS NOT NULL AND (actor_id = person OR on_behalf_of = person))
                       OR (details IS NOT NULL AND (resource_id = person::text OR (address <> '' AND strpos(details, address) > 0))))
                   LIMIT most) AS found
           WHERE entry.id = found.id;
          GET DIAGNOSTICS erased = ROW_COUNT;
          RETURN erased;
        END $$;

      REVOKE ALL ON FUNCTION audit_attach(), audit_prune(uuid, bigint, integer), audit_erase(uuid, uuid, text, integer) FROM PUBLIC;
      GRANT EXECUTE ON FUNCTION audit_prune(uuid, bigint, integer), audit_erase(uuid, uuid, text, integer) TO armature_service;
      SELECT audit_attach();
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DO $$ DECLARE made record; BEGIN
        FOR made IN SELECT oid::regprocedure AS name FROM pg_proc
                     WHERE pronamespace = 'public'::regnamespace AND starts_with(proname, 'audit_') LOOP
          EXECUTE format('DROP FUNCTION %s CASCADE', made.name);
        END LOOP;
      END $$;
      DROP TABLE audit_forwarding, audit_checkpoint, audit_key, audit_chain, audit_entry, audit_pending;
    `);
  }
}
