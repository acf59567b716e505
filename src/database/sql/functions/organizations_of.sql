-- The organizations in which a user has at least the given role. Queries of access_role are functions, because a
-- connection plans a function once, but the view for each reference in a statement.
CREATE OR REPLACE FUNCTION organizations_of(actor uuid, needed integer)
  RETURNS SETOF uuid
  LANGUAGE plpgsql STABLE PARALLEL SAFE
  SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  RETURN QUERY SELECT resource_id FROM access_role
    WHERE user_id = actor AND resource_type = 'organization' AND role >= needed;
END
$$;
GRANT EXECUTE ON FUNCTION organizations_of(uuid, integer) TO armature_service;
