CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF id, organization_id, connection_id ON controller_installation
  FOR EACH ROW
  WHEN (OLD.id IS DISTINCT FROM NEW.id
    OR OLD.organization_id IS DISTINCT FROM NEW.organization_id
    OR OLD.connection_id IS DISTINCT FROM NEW.connection_id)
  EXECUTE FUNCTION assert_scope_unchanged();
