ALTER TABLE component_schema ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON component_schema FOR SELECT USING (
  true
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON component_schema FOR INSERT WITH CHECK (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT current_actor_id()) AND installation_admin))
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON component_schema FOR UPDATE USING (
  true
  OR (SELECT is_system_actor())
) WITH CHECK (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT current_actor_id()) AND installation_admin))
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON component_schema FOR DELETE USING (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT current_actor_id()) AND installation_admin))
  OR (SELECT is_system_actor())
);
