ALTER TABLE data_key ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON data_key FOR SELECT USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON data_key FOR INSERT WITH CHECK (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON data_key FOR UPDATE USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON data_key FOR DELETE USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);
