-- A text that changes with the set of records of a kind in an organization: rows of record_total are only inserted and
-- deleted. Null unless the caller administers the organization.
CREATE OR REPLACE FUNCTION kept_version(organization uuid, kind text)
  RETURNS text
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
  RETURN (SELECT md5(string_agg(t.id::text, ',' ORDER BY t.id)) FROM record_total t
    WHERE t.organization_id = organization AND t.record = kind);
END
$$;
GRANT EXECUTE ON FUNCTION kept_version(uuid, text) TO armature_service;
