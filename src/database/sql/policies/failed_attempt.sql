ALTER TABLE failed_attempt ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON failed_attempt FOR SELECT USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON failed_attempt FOR INSERT WITH CHECK (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON failed_attempt FOR UPDATE USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON failed_attempt FOR DELETE USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);
