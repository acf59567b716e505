ALTER TABLE registry_revision ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON registry_revision FOR SELECT USING (
  true
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON registry_revision FOR INSERT WITH CHECK (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid) AND installation_admin))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON registry_revision FOR UPDATE USING (
  true
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid) AND installation_admin))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON registry_revision FOR DELETE USING (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid) AND installation_admin))
  OR (SELECT current_setting('armature.user', true) = 'system')
);
