ALTER TABLE workspace ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON workspace FOR SELECT USING (
  organization_id = (SELECT concerned_organization((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR id IN (SELECT granted_resources((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 'workspace'))
  OR owner = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON workspace FOR INSERT WITH CHECK (
  owner = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid) AND organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 1)))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON workspace FOR UPDATE USING (
  organization_id = (SELECT concerned_organization((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR id IN (SELECT granted_resources((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 'workspace'))
  OR owner = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  organization_id = (SELECT concerned_organization((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR id IN (SELECT granted_resources((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 'workspace', 4))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON workspace FOR DELETE USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);
