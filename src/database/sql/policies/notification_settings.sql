ALTER TABLE notification_settings ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON notification_settings FOR SELECT USING (
  user_id = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON notification_settings FOR INSERT WITH CHECK (
  user_id = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON notification_settings FOR UPDATE USING (
  user_id = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
) WITH CHECK (
  user_id = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON notification_settings FOR DELETE USING (
  user_id = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
);
