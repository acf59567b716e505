CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF id, organization_id, workspace_id ON performance_run
  FOR EACH ROW
  WHEN (OLD.id IS DISTINCT FROM NEW.id
    OR OLD.organization_id IS DISTINCT FROM NEW.organization_id
    OR OLD.workspace_id IS DISTINCT FROM NEW.workspace_id)
  EXECUTE FUNCTION assert_scope_unchanged();
