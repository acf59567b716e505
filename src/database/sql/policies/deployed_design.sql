ALTER TABLE deployed_design ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON deployed_design FOR SELECT USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 1)))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON deployed_design FOR INSERT WITH CHECK (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON deployed_design FOR UPDATE USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 1)))
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON deployed_design FOR DELETE USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);
