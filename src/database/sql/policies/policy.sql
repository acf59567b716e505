ALTER TABLE policy ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON policy FOR SELECT USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 'workspace'))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON policy FOR INSERT WITH CHECK (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 'workspace', 4))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON policy FOR UPDATE USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 'workspace'))
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 'workspace', 4))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON policy FOR DELETE USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 'workspace', 4))
  OR (SELECT current_setting('armature.user', true) = 'system')
);
