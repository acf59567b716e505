ALTER TABLE job ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON job FOR SELECT USING (
  requested_by = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR (organization_id IS NULL AND (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid) AND installation_admin)))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON job FOR INSERT WITH CHECK (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON job FOR UPDATE USING (
  requested_by = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR (organization_id IS NULL AND (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid) AND installation_admin)))
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON job FOR DELETE USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);
