ALTER TABLE connection ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON connection FOR SELECT USING (
  organization_id = (SELECT concerned_organization((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR id IN (SELECT granted_resources((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 'connection'))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON connection FOR INSERT WITH CHECK (
  organization_id = (SELECT concerned_organization((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON connection FOR UPDATE USING (
  organization_id = (SELECT concerned_organization((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR id IN (SELECT granted_resources((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 'connection'))
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  organization_id = (SELECT concerned_organization((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON connection FOR DELETE USING (
  organization_id = (SELECT concerned_organization((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR (SELECT current_setting('armature.user', true) = 'system')
);
