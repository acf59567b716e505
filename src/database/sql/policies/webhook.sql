ALTER TABLE webhook ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON webhook FOR SELECT USING (
  organization_id = (SELECT concerned_organization((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 'workspace', 4))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON webhook FOR INSERT WITH CHECK (
  organization_id = (SELECT concerned_organization((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 'workspace', 4))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON webhook FOR UPDATE USING (
  organization_id = (SELECT concerned_organization((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 'workspace', 4))
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  organization_id = (SELECT concerned_organization((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 'workspace', 4))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON webhook FOR DELETE USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);
