CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF id ON organization
  FOR EACH ROW
  WHEN (OLD.id IS DISTINCT FROM NEW.id)
  EXECUTE FUNCTION assert_scope_unchanged();

CREATE TRIGGER notify_memberships AFTER UPDATE OF deleted_at ON organization
  FOR EACH ROW
  WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION notify_memberships();
