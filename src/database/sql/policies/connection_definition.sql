ALTER TABLE connection_definition ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON connection_definition FOR SELECT USING (
  true
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON connection_definition FOR INSERT WITH CHECK (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid) AND installation_admin))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON connection_definition FOR UPDATE USING (
  true
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid) AND installation_admin))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON connection_definition FOR DELETE USING (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid) AND installation_admin))
  OR (SELECT current_setting('armature.user', true) = 'system')
);
