ALTER TABLE policy ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON policy FOR SELECT USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace'))
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON policy FOR INSERT WITH CHECK (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4))
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON policy FOR UPDATE USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace'))
  OR (SELECT is_system_actor())
) WITH CHECK (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4))
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON policy FOR DELETE USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4))
  OR (SELECT is_system_actor())
);
