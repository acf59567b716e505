ALTER TABLE workspace_environment ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON workspace_environment FOR SELECT USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON workspace_environment FOR INSERT WITH CHECK (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4))
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON workspace_environment FOR UPDATE USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))
  OR (SELECT is_system_actor())
) WITH CHECK (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4))
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON workspace_environment FOR DELETE USING (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4))
  OR (SELECT is_system_actor())
);
