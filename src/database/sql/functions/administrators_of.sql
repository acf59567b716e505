-- The users with at least the given role in the organization or, where it is granted, in the workspace. Queries of
-- access_role are functions, because a connection plans a function once, but the view for each reference in a
-- statement.
CREATE OR REPLACE FUNCTION administrators_of(organization uuid, workspace uuid, needed integer)
  RETURNS TABLE(user_id uuid, role smallint)
  LANGUAGE plpgsql STABLE PARALLEL SAFE
  SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  RETURN QUERY SELECT r.user_id, max(r.role) FROM access_role r
   WHERE r.organization_id = organization AND r.role >= needed
     AND (r.resource_type = 'organization' OR (r.resource_type = 'workspace' AND r.resource_id = workspace))
   GROUP BY r.user_id;
END
$$;
GRANT EXECUTE ON FUNCTION administrators_of(uuid, uuid, integer) TO armature_service;
