-- The resources of a kind that are granted to a user, in any role or in at least the given one. Each kind has its own
-- statement, because a plan for all kinds opens and locks the tables of all kinds at every call of a policy. Queries of
-- access_role are functions, because a connection plans a function once, but the view for each reference in a
-- statement.
CREATE OR REPLACE FUNCTION granted_resources(actor uuid, kind text)
  RETURNS SETOF uuid
  LANGUAGE plpgsql STABLE PARALLEL SAFE
  SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  CASE kind
    WHEN 'organization' THEN
      RETURN QUERY SELECT resource_id FROM access_role
        WHERE user_id = actor AND resource_type = 'organization';
    WHEN 'workspace' THEN
      RETURN QUERY SELECT resource_id FROM access_role
        WHERE user_id = actor AND resource_type = 'workspace';
    WHEN 'environment' THEN
      RETURN QUERY SELECT resource_id FROM access_role
        WHERE user_id = actor AND resource_type = 'environment';
    WHEN 'connection' THEN
      RETURN QUERY SELECT resource_id FROM access_role
        WHERE user_id = actor AND resource_type = 'connection';
    -- Kinds that the view does not have are granted to nobody.
    ELSE NULL;
  END CASE;
END
$$;
GRANT EXECUTE ON FUNCTION granted_resources(uuid, text) TO armature_service;

CREATE OR REPLACE FUNCTION granted_resources(actor uuid, kind text, needed integer)
  RETURNS SETOF uuid
  LANGUAGE plpgsql STABLE PARALLEL SAFE
  SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  CASE kind
    WHEN 'organization' THEN
      RETURN QUERY SELECT resource_id FROM access_role
        WHERE user_id = actor AND resource_type = 'organization' AND role >= needed;
    WHEN 'workspace' THEN
      RETURN QUERY SELECT resource_id FROM access_role
        WHERE user_id = actor AND resource_type = 'workspace' AND role >= needed;
    WHEN 'environment' THEN
      RETURN QUERY SELECT resource_id FROM access_role
        WHERE user_id = actor AND resource_type = 'environment' AND role >= needed;
    WHEN 'connection' THEN
      RETURN QUERY SELECT resource_id FROM access_role
        WHERE user_id = actor AND resource_type = 'connection' AND role >= needed;
    -- Kinds that the view does not have are granted to nobody.
    ELSE NULL;
  END CASE;
END
$$;
GRANT EXECUTE ON FUNCTION granted_resources(uuid, text, integer) TO armature_service;
