-- Erases an address from the next events of a feed, and from what was sent of them to webhooks.
CREATE OR REPLACE FUNCTION event_erase(of_feed uuid, address text, after bigint, most integer,
    OUT events integer, OUT deliveries integer, OUT last bigint)
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp
AS $$
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
$$;
GRANT EXECUTE ON FUNCTION event_erase(uuid, text, bigint, integer) TO armature_service;
