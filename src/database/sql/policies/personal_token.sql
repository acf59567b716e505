ALTER TABLE personal_token ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON personal_token FOR SELECT USING (
  user_id = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON personal_token FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON personal_token FOR UPDATE USING (
  user_id = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
) WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY delete ON personal_token FOR DELETE USING (
  (SELECT is_system_actor())
);
