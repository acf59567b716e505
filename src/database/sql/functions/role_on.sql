-- The role of a user on a resource; null without one. No grant exceeds the rights of an organization admin (5), so
-- admins are found without reading the grants.
CREATE OR REPLACE FUNCTION role_on(actor uuid, organization uuid, kind text, resource uuid)
  RETURNS smallint
  LANGUAGE plpgsql STABLE PARALLEL SAFE
  SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  held smallint := (SELECT role FROM access_role
    WHERE user_id = actor AND resource_type = 'organization' AND resource_id = organization);
BEGIN
  IF held >= 5 OR kind = 'organization' THEN
    RETURN held;
  END IF;
  RETURN (SELECT max(role) FROM access_role WHERE user_id = actor AND resource_type = kind AND resource_id = resource);
END
$$;
GRANT EXECUTE ON FUNCTION role_on(uuid, uuid, text, uuid) TO armature_service;
