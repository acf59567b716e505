CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF team_id, user_id ON team_member
  FOR EACH ROW
  WHEN (OLD.team_id IS DISTINCT FROM NEW.team_id
    OR OLD.user_id IS DISTINCT FROM NEW.user_id)
  EXECUTE FUNCTION assert_scope_unchanged();
