ALTER TABLE event_read ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON event_read FOR SELECT USING (
  user_id = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON event_read FOR INSERT WITH CHECK (
  user_id = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON event_read FOR UPDATE USING (
  user_id = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
) WITH CHECK (
  user_id = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON event_read FOR DELETE USING (
  user_id = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
);
