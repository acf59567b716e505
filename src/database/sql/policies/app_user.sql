ALTER TABLE app_user ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON app_user FOR SELECT USING (
  id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR EXISTS (SELECT FROM organization_member m WHERE m.user_id = app_user.id)
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON app_user FOR INSERT WITH CHECK (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON app_user FOR UPDATE USING (
  id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR EXISTS (SELECT FROM organization_member m WHERE m.user_id = app_user.id)
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON app_user FOR DELETE USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);
