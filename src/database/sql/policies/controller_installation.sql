ALTER TABLE controller_installation ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON controller_installation FOR SELECT USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR connection_id IN (SELECT granted_resources((SELECT current_actor_id()), 'connection'))
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON controller_installation FOR INSERT WITH CHECK (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON controller_installation FOR UPDATE USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON controller_installation FOR DELETE USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR (SELECT is_system_actor())
);
