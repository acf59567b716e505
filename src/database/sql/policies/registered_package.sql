ALTER TABLE registered_package ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON registered_package FOR SELECT USING (
  true
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON registered_package FOR INSERT WITH CHECK (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid) AND installation_admin))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON registered_package FOR UPDATE USING (
  true
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid) AND installation_admin))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON registered_package FOR DELETE USING (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid) AND installation_admin))
  OR (SELECT current_setting('armature.user', true) = 'system')
);
