-- Appends events to their feeds, each feed (an organization, or the installation) numbered without a gap. It runs as
-- the owner of the tables, to whom policies do not apply: the permission is checked once, as the policies of event do,
-- and not again for the counter and for each statement. Nearly all transactions append one event, which needs neither
-- grouping nor numbering.
CREATE OR REPLACE FUNCTION append_events(events jsonb)
  RETURNS TABLE(organization_id uuid, sequence bigint, category text, action text, acted_upon uuid)
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp
  SET plan_cache_mode = force_generic_plan
AS $$
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
$$;
GRANT EXECUTE ON FUNCTION append_events(jsonb) TO armature_service;
