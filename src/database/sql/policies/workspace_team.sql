ALTER TABLE workspace_team ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON workspace_team FOR SELECT USING (
  EXISTS (SELECT FROM workspace holder WHERE holder.id = workspace_id AND true)
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON workspace_team FOR INSERT WITH CHECK (
  workspace_id IN (SELECT granted_resources((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 'workspace', 4))
  OR EXISTS (SELECT FROM workspace holder WHERE holder.id = workspace_id AND holder.organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5))))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON workspace_team FOR UPDATE USING (
  EXISTS (SELECT FROM workspace holder WHERE holder.id = workspace_id AND true)
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  workspace_id IN (SELECT granted_resources((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 'workspace', 4))
  OR EXISTS (SELECT FROM workspace holder WHERE holder.id = workspace_id AND holder.organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5))))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON workspace_team FOR DELETE USING (
  workspace_id IN (SELECT granted_resources((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 'workspace', 4))
  OR EXISTS (SELECT FROM workspace holder WHERE holder.id = workspace_id AND holder.organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5))))
  OR (SELECT current_setting('armature.user', true) = 'system')
);
