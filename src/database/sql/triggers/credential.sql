CREATE TRIGGER count_added AFTER INSERT ON credential
  REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_added();

CREATE TRIGGER count_changed AFTER UPDATE OF deleted_at, organization_id ON credential
  FOR EACH ROW
  WHEN ((OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL)
    OR OLD.organization_id <> NEW.organization_id)
  EXECUTE FUNCTION count_changed();

CREATE TRIGGER count_removed AFTER DELETE ON credential
  REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT
  EXECUTE FUNCTION count_removed();

CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF id, organization_id ON credential
  FOR EACH ROW
  WHEN (OLD.id IS DISTINCT FROM NEW.id
    OR OLD.organization_id IS DISTINCT FROM NEW.organization_id)
  EXECUTE FUNCTION assert_scope_unchanged();
