CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF
    id, webhook_id, organization_id, workspace_id, event_id
  ON webhook_delivery
  FOR EACH ROW
  WHEN (OLD.id IS DISTINCT FROM NEW.id
    OR OLD.webhook_id IS DISTINCT FROM NEW.webhook_id
    OR OLD.organization_id IS DISTINCT FROM NEW.organization_id
    OR OLD.workspace_id IS DISTINCT FROM NEW.workspace_id
    OR OLD.event_id IS DISTINCT FROM NEW.event_id)
  EXECUTE FUNCTION assert_scope_unchanged();
