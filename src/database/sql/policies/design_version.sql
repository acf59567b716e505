ALTER TABLE design_version ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON design_version FOR SELECT USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))
  OR (SELECT is_system_actor())
);

CREATE POLICY published ON design_version FOR SELECT USING (
  (SELECT current_actor_id()) IS NOT NULL AND EXISTS (SELECT FROM published_design p WHERE p.id = design_id AND p.version_number = number)
);

CREATE POLICY insert ON design_version FOR INSERT WITH CHECK (
  writes_design((SELECT current_actor_id()), design_id, organization_id, 3)
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON design_version FOR UPDATE USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))
  OR (SELECT is_system_actor())
) WITH CHECK (
  writes_design((SELECT current_actor_id()), design_id, organization_id, 3)
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON design_version FOR DELETE USING (
  writes_design((SELECT current_actor_id()), design_id, organization_id, 3)
  OR (SELECT is_system_actor())
);
