-- The organization that the transaction concerns, if the user has at least the given role there. Without that hint, any
-- organization of the user. Policies check it before they collect all organizations of a user: its cost does not depend
-- on their number.
CREATE OR REPLACE FUNCTION concerned_organization(actor uuid, needed integer)
  RETURNS uuid
  LANGUAGE plpgsql STABLE PARALLEL SAFE
  SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  concerned uuid := nullif(current_setting('armature.organization', true), '')::uuid;
BEGIN
  IF concerned IS NULL THEN
    RETURN (SELECT resource_id FROM access_role
      WHERE user_id = actor AND resource_type = 'organization' AND role >= needed LIMIT 1);
  END IF;
  RETURN (SELECT resource_id FROM access_role
    WHERE user_id = actor AND resource_type = 'organization' AND resource_id = concerned AND role >= needed);
END
$$;
GRANT EXECUTE ON FUNCTION concerned_organization(uuid, integer) TO armature_service;
