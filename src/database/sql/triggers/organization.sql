CREATE TRIGGER stays_where_it_is BEFORE UPDATE OF id ON organization
  FOR EACH ROW
  WHEN (OLD.id IS DISTINCT FROM NEW.id)
  EXECUTE FUNCTION stays_where_it_is();

CREATE TRIGGER tell_memberships AFTER UPDATE OF deleted_at ON organization
  FOR EACH ROW
  WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION tell_memberships();
