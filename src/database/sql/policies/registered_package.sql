ALTER TABLE registered_package ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON registered_package FOR SELECT USING (
  true
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON registered_package FOR INSERT WITH CHECK (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT current_actor_id()) AND installation_admin))
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON registered_package FOR UPDATE USING (
  true
  OR (SELECT is_system_actor())
) WITH CHECK (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT current_actor_id()) AND installation_admin))
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON registered_package FOR DELETE USING (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT current_actor_id()) AND installation_admin))
  OR (SELECT is_system_actor())
);
