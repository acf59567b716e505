ALTER TABLE webhook_delivery ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON webhook_delivery FOR SELECT USING (
  organization_id = (SELECT concerned_organization((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 'workspace', 4))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON webhook_delivery FOR INSERT WITH CHECK (
  organization_id = (SELECT concerned_organization((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR workspace_id IN (SELECT granted_resources((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 'workspace', 4))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON webhook_delivery FOR UPDATE USING (
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

CREATE POLICY removing ON webhook_delivery FOR DELETE USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);
