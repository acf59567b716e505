ALTER TABLE audit_key ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON audit_key FOR SELECT USING (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON audit_key FOR INSERT WITH CHECK (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON audit_key FOR UPDATE USING (
  (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON audit_key FOR DELETE USING (
  (SELECT current_setting('armature.user', true) = 'system')
);
