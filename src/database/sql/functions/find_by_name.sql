-- What a caller sees whose name is, begins with, or contains a text, the best matches of each type first: at most "most" of
-- each. Of fewer than three characters, names are found that begin with them. ILIKE is not leakproof, so that under a
-- policy it cannot use an index: this function of the owner of the tables uses it, for what the caller may see only, and
-- the policies of the statement that receives the ids decide once more. The rights are arrays, and it is planned for each
-- text, so that the planner knows how many rows both leave.
CREATE OR REPLACE FUNCTION find_by_name(wanted text, most integer)
  RETURNS TABLE (type text, id uuid, match integer)
  LANGUAGE plpgsql STABLE SECURITY DEFINER
  SET search_path = public, pg_temp
  SET plan_cache_mode = force_custom_plan
AS $$
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
$$;
GRANT EXECUTE ON FUNCTION find_by_name(text, integer) TO armature_service;
