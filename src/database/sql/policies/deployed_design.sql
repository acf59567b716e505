ALTER TABLE deployed_design ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON deployed_design FOR SELECT USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON deployed_design FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON deployed_design FOR UPDATE USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))
  OR (SELECT is_system_actor())
) WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY delete ON deployed_design FOR DELETE USING (
  (SELECT is_system_actor())
);
