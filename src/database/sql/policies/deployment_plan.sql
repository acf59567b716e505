ALTER TABLE deployment_plan ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON deployment_plan FOR SELECT USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 1)))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON deployment_plan FOR INSERT WITH CHECK (
  writes_design((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), design_id, organization_id, 3)
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON deployment_plan FOR UPDATE USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 1)))
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  writes_design((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), design_id, organization_id, 3)
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON deployment_plan FOR DELETE USING (
  writes_design((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), design_id, organization_id, 3)
  OR (SELECT current_setting('armature.user', true) = 'system')
);
