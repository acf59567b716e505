-- Notifies replicas, which cache memberships, that those of a user have changed.
CREATE OR REPLACE FUNCTION notify_membership()
  RETURNS trigger
  LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM pg_notify('armature_memberships', coalesce(NEW.user_id, OLD.user_id)::text);
  RETURN NULL;
END
$$;
