-- Marks the idempotency key of a request as having written, in the transaction that writes. It fails when another
-- request has taken over the key.
CREATE OR REPLACE FUNCTION mark_idempotent_write(of_caller text, of_route text, of_key text, of_claim uuid)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path = public, pg_temp
AS $$
BEGIN
  IF pg_current_xact_id_if_assigned() IS NULL THEN
    RETURN;
  END IF;
  UPDATE idempotency_key SET has_written = true
   WHERE caller = of_caller AND route = of_route AND key = of_key AND claim = of_claim;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'another request has taken over the idempotency key';
  END IF;
END
$$;
GRANT EXECUTE ON FUNCTION mark_idempotent_write(text, text, text, uuid) TO armature_service;
