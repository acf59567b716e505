-- Writes an event to audit_pending that belongs to no audited change; other events are read by their change set when it
-- is sealed.
CREATE OR REPLACE FUNCTION audit_event()
  RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp
AS $$
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
$$;
