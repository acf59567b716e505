-- The roles of users in an organization and on its resources. Queries of access_role are functions, because a
-- connection plans a function once, but the view for each reference in a statement.
CREATE OR REPLACE FUNCTION roles_in(organization uuid, actors uuid[])
  RETURNS TABLE(user_id uuid, organization_id uuid, resource_type text, resource_id uuid, role smallint)
  LANGUAGE plpgsql STABLE PARALLEL SAFE
  SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  RETURN QUERY SELECT r.* FROM access_role r WHERE r.user_id = ANY (actors) AND r.organization_id = organization;
END
$$;
GRANT EXECUTE ON FUNCTION roles_in(uuid, uuid[]) TO armature_service;
