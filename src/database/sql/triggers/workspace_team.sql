CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF workspace_id, team_id ON workspace_team
  FOR EACH ROW
  WHEN (OLD.workspace_id IS DISTINCT FROM NEW.workspace_id
    OR OLD.team_id IS DISTINCT FROM NEW.team_id)
  EXECUTE FUNCTION assert_scope_unchanged();
