-- The ids of the filters of an organization whose name matches. Null means that there are more than "most". ILIKE is
-- not leakproof, so that under a policy it cannot use an index. This function of the owner of the tables uses it, for
-- members of the organization only; the policies of the statement that receives the ids decide what the caller may
-- read. It is planned for each pattern, because a generic plan cannot know whether the index helps.
CREATE OR REPLACE FUNCTION search_filter(organization uuid, pattern text, most integer)
  RETURNS uuid[]
  LANGUAGE plpgsql STABLE SECURITY DEFINER
  SET search_path = public, pg_temp
  SET plan_cache_mode = force_custom_plan
AS $$
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
$$;
GRANT EXECUTE ON FUNCTION search_filter(uuid, text, integer) TO armature_service;
