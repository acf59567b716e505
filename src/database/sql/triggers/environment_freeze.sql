CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF id, organization_id, environment_id ON environment_freeze
  FOR EACH ROW
  WHEN (OLD.id IS DISTINCT FROM NEW.id
    OR OLD.organization_id IS DISTINCT FROM NEW.organization_id
    OR OLD.environment_id IS DISTINCT FROM NEW.environment_id)
  EXECUTE FUNCTION assert_scope_unchanged();
