ALTER TABLE favourite ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON favourite FOR SELECT USING (
  user_id = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON favourite FOR INSERT WITH CHECK (
  user_id = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON favourite FOR UPDATE USING (
  user_id = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
) WITH CHECK (
  user_id = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON favourite FOR DELETE USING (
  user_id = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
);
