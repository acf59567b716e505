CREATE TRIGGER stays_where_it_is BEFORE UPDATE OF organization_id, user_id ON organization_member
  FOR EACH ROW
  WHEN (OLD.organization_id IS DISTINCT FROM NEW.organization_id
    OR OLD.user_id IS DISTINCT FROM NEW.user_id)
  EXECUTE FUNCTION stays_where_it_is();

CREATE TRIGGER tell_membership AFTER INSERT OR UPDATE OR DELETE ON organization_member
  FOR EACH ROW
  EXECUTE FUNCTION tell_membership();
