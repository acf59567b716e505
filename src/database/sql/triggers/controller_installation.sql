CREATE TRIGGER stays_where_it_is BEFORE UPDATE OF id, organization_id, connection_id ON controller_installation
  FOR EACH ROW
  WHEN (OLD.id IS DISTINCT FROM NEW.id
    OR OLD.organization_id IS DISTINCT FROM NEW.organization_id
    OR OLD.connection_id IS DISTINCT FROM NEW.connection_id)
  EXECUTE FUNCTION stays_where_it_is();
