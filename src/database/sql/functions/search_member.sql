-- The ids of the members of an organization whose e-mail address or name matches. Null means that there are more than
-- "most". ILIKE is not leakproof, so that under a policy it cannot use an index. This function of the owner of the
-- tables uses it, for members of the organization only; the policies of the statement that receives the ids decide what
-- the caller may read. It is planned for each pattern, because a generic plan cannot know whether the index helps.
CREATE OR REPLACE FUNCTION search_member(organization uuid, pattern text, most integer)
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
  found := ARRAY(SELECT u.id FROM organization_member m JOIN app_user u ON u.id = m.user_id
    WHERE m.organization_id = organization
      AND (u.email ILIKE pattern OR (u.first_name || ' ' || u.last_name) ILIKE pattern) LIMIT most + 1);
  RETURN CASE WHEN cardinality(found) <= most THEN found END;
END
$$;
GRANT EXECUTE ON FUNCTION search_member(uuid, text, integer) TO armature_service;
