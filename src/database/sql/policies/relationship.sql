ALTER TABLE relationship ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON relationship FOR SELECT USING (
  true
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON relationship FOR INSERT WITH CHECK (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid) AND installation_admin))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON relationship FOR UPDATE USING (
  true
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid) AND installation_admin))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON relationship FOR DELETE USING (
  (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid) AND installation_admin))
  OR (SELECT current_setting('armature.user', true) = 'system')
);
