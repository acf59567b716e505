ALTER TABLE organization ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON organization FOR SELECT USING (
  id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON organization FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON organization FOR UPDATE USING (
  id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))
  OR (SELECT is_system_actor())
) WITH CHECK (
  id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON organization FOR DELETE USING (
  (SELECT is_system_actor())
);
