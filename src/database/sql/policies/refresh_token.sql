ALTER TABLE refresh_token ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON refresh_token FOR SELECT USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON refresh_token FOR INSERT WITH CHECK (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON refresh_token FOR UPDATE USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON refresh_token FOR DELETE USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);
