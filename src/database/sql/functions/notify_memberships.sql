-- Notifies replicas, which cache memberships, that those of many users have changed.
CREATE OR REPLACE FUNCTION notify_memberships()
  RETURNS trigger
  LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM pg_notify('armature_memberships', '');
  RETURN NULL;
END
$$;
