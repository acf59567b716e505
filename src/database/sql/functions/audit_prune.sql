-- Removes old entries of a chain, up to an entry that a signed checkpoint names.
CREATE OR REPLACE FUNCTION audit_prune(of_chain uuid, through bigint, most integer)
  RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp
AS $$
DECLARE
  gone integer;
BEGIN
  IF NOT (SELECT current_setting('armature.user', true) = 'system')
      OR NOT EXISTS (SELECT FROM audit_checkpoint WHERE chain = of_chain AND sequence = through) THEN
    RAISE insufficient_privilege USING MESSAGE = 'entries are removed up to a signed head only';
  END IF;
  UPDATE audit_chain SET removed = through WHERE chain = of_chain AND removed < through;
  DELETE FROM audit_entry WHERE id IN (
    SELECT id FROM audit_entry WHERE chain = of_chain AND sequence <= through
       AND created_at < now() - interval '1 day' ORDER BY sequence LIMIT most);
  GET DIAGNOSTICS gone = ROW_COUNT;
  RETURN gone;
END
$$;
GRANT EXECUTE ON FUNCTION audit_prune(uuid, bigint, integer) TO armature_service;
