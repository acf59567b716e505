ALTER TABLE password_reset ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON password_reset FOR SELECT USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON password_reset FOR INSERT WITH CHECK (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON password_reset FOR UPDATE USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON password_reset FOR DELETE USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);
