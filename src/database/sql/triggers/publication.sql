CREATE TRIGGER stays_where_it_is BEFORE UPDATE OF design_id, organization_id ON publication
  FOR EACH ROW
  WHEN (OLD.design_id IS DISTINCT FROM NEW.design_id
    OR OLD.organization_id IS DISTINCT FROM NEW.organization_id)
  EXECUTE FUNCTION stays_where_it_is();
