CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF organization_id, user_id ON organization_member
  FOR EACH ROW
  WHEN (OLD.organization_id IS DISTINCT FROM NEW.organization_id
    OR OLD.user_id IS DISTINCT FROM NEW.user_id)
  EXECUTE FUNCTION assert_scope_unchanged();

CREATE TRIGGER notify_membership AFTER INSERT OR UPDATE OR DELETE ON organization_member
  FOR EACH ROW
  EXECUTE FUNCTION notify_membership();
