ALTER TABLE publication ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON publication FOR SELECT USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON publication FOR INSERT WITH CHECK (
  writes_design((SELECT current_actor_id()), design_id, organization_id, 4)
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON publication FOR UPDATE USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))
  OR (SELECT is_system_actor())
) WITH CHECK (
  writes_design((SELECT current_actor_id()), design_id, organization_id, 4)
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON publication FOR DELETE USING (
  writes_design((SELECT current_actor_id()), design_id, organization_id, 4)
  OR (SELECT is_system_actor())
);
