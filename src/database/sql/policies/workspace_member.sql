ALTER TABLE workspace_member ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON workspace_member FOR SELECT USING (
  EXISTS (SELECT FROM workspace holder WHERE holder.id = workspace_id AND true)
  OR user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON workspace_member FOR INSERT WITH CHECK (
  workspace_id IN (SELECT granted_resources((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 'workspace', 4))
  OR EXISTS (SELECT FROM workspace holder WHERE holder.id = workspace_id AND holder.organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5))))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON workspace_member FOR UPDATE USING (
  EXISTS (SELECT FROM workspace holder WHERE holder.id = workspace_id AND true)
  OR user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  workspace_id IN (SELECT granted_resources((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 'workspace', 4))
  OR EXISTS (SELECT FROM workspace holder WHERE holder.id = workspace_id AND holder.organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5))))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON workspace_member FOR DELETE USING (
  user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR workspace_id IN (SELECT granted_resources((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 'workspace', 4))
  OR EXISTS (SELECT FROM workspace holder WHERE holder.id = workspace_id AND holder.organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5))))
  OR (SELECT current_setting('armature.user', true) = 'system')
);
