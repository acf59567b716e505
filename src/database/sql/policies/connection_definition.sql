ALTER TABLE connection_definition ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON connection_definition FOR SELECT USING (
  true
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON connection_definition FOR INSERT WITH CHECK (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT current_actor_id()) AND installation_admin))
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON connection_definition FOR UPDATE USING (
  true
  OR (SELECT is_system_actor())
) WITH CHECK (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT current_actor_id()) AND installation_admin))
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON connection_definition FOR DELETE USING (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT current_actor_id()) AND installation_admin))
  OR (SELECT is_system_actor())
);
