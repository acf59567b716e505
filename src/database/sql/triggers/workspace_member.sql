CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF workspace_id, user_id ON workspace_member
  FOR EACH ROW
  WHEN (OLD.workspace_id IS DISTINCT FROM NEW.workspace_id
    OR OLD.user_id IS DISTINCT FROM NEW.user_id)
  EXECUTE FUNCTION assert_scope_unchanged();
