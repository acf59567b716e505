ALTER TABLE workspace_team ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON workspace_team FOR SELECT USING (
  EXISTS (SELECT FROM workspace holder WHERE holder.id = workspace_id)
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON workspace_team FOR INSERT WITH CHECK (
  workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4))
  OR EXISTS (SELECT FROM workspace holder WHERE holder.id = workspace_id AND holder.organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5))))
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON workspace_team FOR UPDATE USING (
  EXISTS (SELECT FROM workspace holder WHERE holder.id = workspace_id)
  OR (SELECT is_system_actor())
) WITH CHECK (
  workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4))
  OR EXISTS (SELECT FROM workspace holder WHERE holder.id = workspace_id AND holder.organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5))))
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON workspace_team FOR DELETE USING (
  workspace_id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4))
  OR EXISTS (SELECT FROM workspace holder WHERE holder.id = workspace_id AND holder.organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5))))
  OR (SELECT is_system_actor())
);
