CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF design_id, organization_id ON publication
  FOR EACH ROW
  WHEN (OLD.design_id IS DISTINCT FROM NEW.design_id
    OR OLD.organization_id IS DISTINCT FROM NEW.organization_id)
  EXECUTE FUNCTION assert_scope_unchanged();
