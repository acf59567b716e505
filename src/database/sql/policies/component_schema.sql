ALTER TABLE component_schema ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON component_schema FOR SELECT USING (
  true
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON component_schema FOR INSERT WITH CHECK (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid) AND installation_admin))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON component_schema FOR UPDATE USING (
  true
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid) AND installation_admin))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON component_schema FOR DELETE USING (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid) AND installation_admin))
  OR (SELECT current_setting('armature.user', true) = 'system')
);
