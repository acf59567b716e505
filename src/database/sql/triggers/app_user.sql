CREATE TRIGGER assert_scope_unchanged BEFORE UPDATE OF
    id, kind, email, password_hash, installation_admin, deactivated_at, deleted_at, organization_id, issuer,
    subject, unconfirmed_by
  ON app_user
  FOR EACH ROW
  WHEN (OLD.id IS DISTINCT FROM NEW.id
    OR OLD.kind IS DISTINCT FROM NEW.kind
    OR OLD.email IS DISTINCT FROM NEW.email
    OR OLD.password_hash IS DISTINCT FROM NEW.password_hash
    OR OLD.installation_admin IS DISTINCT FROM NEW.installation_admin
    OR OLD.deactivated_at IS DISTINCT FROM NEW.deactivated_at
    OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at
    OR OLD.organization_id IS DISTINCT FROM NEW.organization_id
    OR OLD.issuer IS DISTINCT FROM NEW.issuer
    OR OLD.subject IS DISTINCT FROM NEW.subject
    OR OLD.unconfirmed_by IS DISTINCT FROM NEW.unconfirmed_by)
  EXECUTE FUNCTION assert_scope_unchanged();
