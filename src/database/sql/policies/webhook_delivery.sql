ALTER TABLE webhook_delivery ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON webhook_delivery FOR SELECT USING (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4))
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON webhook_delivery FOR INSERT WITH CHECK (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4))
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON webhook_delivery FOR UPDATE USING (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4))
  OR (SELECT is_system_actor())
) WITH CHECK (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4))
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON webhook_delivery FOR DELETE USING (
  (SELECT is_system_actor())
);
