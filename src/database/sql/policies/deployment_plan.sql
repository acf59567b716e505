ALTER TABLE deployment_plan ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON deployment_plan FOR SELECT USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON deployment_plan FOR INSERT WITH CHECK (
  writes_design((SELECT current_actor_id()), design_id, organization_id, 3)
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON deployment_plan FOR UPDATE USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))
  OR (SELECT is_system_actor())
) WITH CHECK (
  writes_design((SELECT current_actor_id()), design_id, organization_id, 3)
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON deployment_plan FOR DELETE USING (
  writes_design((SELECT current_actor_id()), design_id, organization_id, 3)
  OR (SELECT is_system_actor())
);
