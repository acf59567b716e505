ALTER TABLE design ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON design FOR SELECT USING (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace'))
  OR (visibility <> 'workspace' AND organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1))))
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON design FOR INSERT WITH CHECK (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 3))
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON design FOR UPDATE USING (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace'))
  OR (visibility <> 'workspace' AND organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1))))
  OR (SELECT is_system_actor())
) WITH CHECK (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 3))
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON design FOR DELETE USING (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 3))
  OR (SELECT is_system_actor())
);
