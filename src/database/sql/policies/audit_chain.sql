ALTER TABLE audit_chain ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON audit_chain FOR SELECT USING (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON audit_chain FOR INSERT WITH CHECK (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON audit_chain FOR UPDATE USING (
  (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON audit_chain FOR DELETE USING (
  (SELECT current_setting('armature.user', true) = 'system')
);
