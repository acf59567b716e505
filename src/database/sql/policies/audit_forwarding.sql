ALTER TABLE audit_forwarding ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON audit_forwarding FOR SELECT USING (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON audit_forwarding FOR INSERT WITH CHECK (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON audit_forwarding FOR UPDATE USING (
  (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON audit_forwarding FOR DELETE USING (
  (SELECT current_setting('armature.user', true) = 'system')
);
