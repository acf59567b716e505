ALTER TABLE model ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON model FOR SELECT USING (
  true
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON model FOR INSERT WITH CHECK (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT current_actor_id()) AND installation_admin))
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON model FOR UPDATE USING (
  true
  OR (SELECT is_system_actor())
) WITH CHECK (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT current_actor_id()) AND installation_admin))
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON model FOR DELETE USING (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT current_actor_id()) AND installation_admin))
  OR (SELECT is_system_actor())
);
