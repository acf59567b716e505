-- Whether the connection works for the system: start-up, jobs and timers, and what a service does beyond the rights of its caller.
CREATE OR REPLACE FUNCTION is_system_actor()
  RETURNS boolean
  LANGUAGE plpgsql STABLE PARALLEL SAFE
AS $$
BEGIN
  RETURN current_setting('armature.user', true) = 'system';
END
$$;
GRANT EXECUTE ON FUNCTION is_system_actor() TO armature_service;
