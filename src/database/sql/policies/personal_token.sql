ALTER TABLE personal_token ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON personal_token FOR SELECT USING (
  user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON personal_token FOR INSERT WITH CHECK (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON personal_token FOR UPDATE USING (
  user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON personal_token FOR DELETE USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);
