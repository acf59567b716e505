ALTER TABLE design_version ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON design_version FOR SELECT USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 1)))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY published ON design_version FOR SELECT USING (
  (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid) IS NOT NULL AND EXISTS (SELECT FROM published_design p WHERE p.id = design_id AND p.version_number = number)
);

CREATE POLICY adding ON design_version FOR INSERT WITH CHECK (
  writes_design((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), design_id, organization_id, 3)
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON design_version FOR UPDATE USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 1)))
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  writes_design((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), design_id, organization_id, 3)
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON design_version FOR DELETE USING (
  writes_design((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), design_id, organization_id, 3)
  OR (SELECT current_setting('armature.user', true) = 'system')
);
