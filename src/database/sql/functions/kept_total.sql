-- The number of records of a kind in an organization; null unless the caller administers the organization. It checks
-- the caller once: under the policies of record_total a statement would collect all organizations that the caller
-- administers.
CREATE OR REPLACE FUNCTION kept_total(organization uuid, kind text)
  RETURNS bigint
  LANGUAGE plpgsql STABLE SECURITY DEFINER
  SET search_path = public, pg_temp
AS $$
DECLARE
  caller text := current_setting('armature.user', true);
BEGIN
  IF caller IS DISTINCT FROM 'system' AND NOT EXISTS (
      SELECT FROM organization_member m JOIN organization o ON o.id = m.organization_id AND o.deleted_at IS NULL
       WHERE m.organization_id = organization AND m.role >= 5
         AND m.user_id = nullif(nullif(caller, ''), 'system')::uuid) THEN
    RETURN NULL;
  END IF;
  RETURN (SELECT sum(t.amount) FROM record_total t WHERE t.organization_id = organization AND t.record = kind);
END
$$;
GRANT EXECUTE ON FUNCTION kept_total(uuid, text) TO armature_service;
