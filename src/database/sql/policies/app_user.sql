ALTER TABLE app_user ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON app_user FOR SELECT USING (
  id = (SELECT current_actor_id())
  OR EXISTS (SELECT FROM organization_member m WHERE m.user_id = app_user.id)
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON app_user FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON app_user FOR UPDATE USING (
  id = (SELECT current_actor_id())
  OR EXISTS (SELECT FROM organization_member m WHERE m.user_id = app_user.id)
  OR (SELECT is_system_actor())
) WITH CHECK (
  id = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON app_user FOR DELETE USING (
  (SELECT is_system_actor())
);
