ALTER TABLE environment_freeze ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON environment_freeze FOR SELECT USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON environment_freeze FOR INSERT WITH CHECK (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON environment_freeze FOR UPDATE USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON environment_freeze FOR DELETE USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR (SELECT current_setting('armature.user', true) = 'system')
);
