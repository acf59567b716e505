CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF id, organization_id ON invitation
  FOR EACH ROW
  WHEN (OLD.id IS DISTINCT FROM NEW.id
    OR OLD.organization_id IS DISTINCT FROM NEW.organization_id)
  EXECUTE FUNCTION assert_scope_unchanged();
