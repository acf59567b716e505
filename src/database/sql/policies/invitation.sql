ALTER TABLE invitation ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON invitation FOR SELECT USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON invitation FOR INSERT WITH CHECK (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON invitation FOR UPDATE USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON invitation FOR DELETE USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR (SELECT current_setting('armature.user', true) = 'system')
);
