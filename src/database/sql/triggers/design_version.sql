CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF design_id, organization_id, number ON design_version
  FOR EACH ROW
  WHEN (OLD.design_id IS DISTINCT FROM NEW.design_id
    OR OLD.organization_id IS DISTINCT FROM NEW.organization_id
    OR OLD.number IS DISTINCT FROM NEW.number)
  EXECUTE FUNCTION assert_scope_unchanged();
