ALTER TABLE performance_profile ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON performance_profile FOR SELECT USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace'))
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON performance_profile FOR INSERT WITH CHECK (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 3))
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON performance_profile FOR UPDATE USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace'))
  OR (SELECT is_system_actor())
) WITH CHECK (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 3))
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON performance_profile FOR DELETE USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 3))
  OR (SELECT is_system_actor())
);
