-- The user for whom the connection works, as policies see it: null for the system, and for a request without a caller.
CREATE OR REPLACE FUNCTION current_actor_id()
  RETURNS uuid
  LANGUAGE plpgsql STABLE PARALLEL SAFE
AS $$
BEGIN
  RETURN nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid;
END
$$;
GRANT EXECUTE ON FUNCTION current_actor_id() TO armature_service;
