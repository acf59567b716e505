-- Erases the subject of a person at the issuer from the events of their account, however short it is.
CREATE OR REPLACE FUNCTION event_erase_subject(person uuid)
  RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp
AS $$
DECLARE
  erased integer;
BEGIN
  IF NOT (SELECT current_setting('armature.user', true) = 'system') THEN
    RAISE insufficient_privilege USING MESSAGE = 'the system erases personal data';
  END IF;
  UPDATE event SET metadata = metadata || '{"subject": "[erased]"}'
   WHERE acted_upon = person AND organization_id IS NULL AND category = 'user' AND metadata->>'subject' <> '[erased]';
  GET DIAGNOSTICS erased = ROW_COUNT;
  RETURN erased;
END
$$;
GRANT EXECUTE ON FUNCTION event_erase_subject(uuid) TO armature_service;
