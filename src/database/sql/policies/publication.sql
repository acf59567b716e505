ALTER TABLE publication ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON publication FOR SELECT USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 1)))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON publication FOR INSERT WITH CHECK (
  writes_design((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), design_id, organization_id, 4)
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON publication FOR UPDATE USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 1)))
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  writes_design((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), design_id, organization_id, 4)
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON publication FOR DELETE USING (
  writes_design((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), design_id, organization_id, 4)
  OR (SELECT current_setting('armature.user', true) = 'system')
);
