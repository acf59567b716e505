ALTER TABLE filter ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON filter FOR SELECT USING (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace'))
  OR (visibility <> 'workspace' AND organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1))))
  OR (SELECT is_system_actor())
);

CREATE POLICY published ON filter FOR SELECT USING (
  visibility = 'public' AND deleted_at IS NULL AND (SELECT current_actor_id()) IS NOT NULL AND workspace_id IN (SELECT id FROM active_workspace) AND organization_id IN (SELECT id FROM active_organization)
);

CREATE POLICY insert ON filter FOR INSERT WITH CHECK (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 3))
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON filter FOR UPDATE USING (
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

CREATE POLICY delete ON filter FOR DELETE USING (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 3))
  OR (SELECT is_system_actor())
);
