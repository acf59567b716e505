ALTER TABLE registry_revision ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON registry_revision FOR SELECT USING (
  true
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON registry_revision FOR INSERT WITH CHECK (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT current_actor_id()) AND installation_admin))
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON registry_revision FOR UPDATE USING (
  true
  OR (SELECT is_system_actor())
) WITH CHECK (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT current_actor_id()) AND installation_admin))
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON registry_revision FOR DELETE USING (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT current_actor_id()) AND installation_admin))
  OR (SELECT is_system_actor())
);
