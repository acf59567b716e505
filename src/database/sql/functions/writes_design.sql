-- Whether a user has at least the given role in the workspace of a design, or administers its organization. It runs as
-- the owner of the tables, so that the policies of design are not evaluated again for each version.
CREATE OR REPLACE FUNCTION writes_design(actor uuid, design uuid, organization uuid, needed integer)
  RETURNS boolean
  LANGUAGE plpgsql STABLE SECURITY DEFINER
  SET search_path = public, pg_temp
AS $$
BEGIN
  RETURN EXISTS (SELECT FROM design d WHERE d.id = design AND d.organization_id = organization
    AND (d.organization_id IN (SELECT organizations_of(actor, 5))
      OR d.workspace_id IN (SELECT granted_resources(actor, 'workspace', needed))));
END
$$;
GRANT EXECUTE ON FUNCTION writes_design(uuid, uuid, uuid, integer) TO armature_service;
