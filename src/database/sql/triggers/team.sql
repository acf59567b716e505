CREATE TRIGGER stays_where_it_is BEFORE UPDATE OF id, organization_id ON team
  FOR EACH ROW
  WHEN (OLD.id IS DISTINCT FROM NEW.id
    OR OLD.organization_id IS DISTINCT FROM NEW.organization_id)
  EXECUTE FUNCTION stays_where_it_is();
