ALTER TABLE notification_mark ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON notification_mark FOR SELECT USING (
  user_id = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON notification_mark FOR INSERT WITH CHECK (
  user_id = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON notification_mark FOR UPDATE USING (
  user_id = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
) WITH CHECK (
  user_id = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON notification_mark FOR DELETE USING (
  user_id = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
);
