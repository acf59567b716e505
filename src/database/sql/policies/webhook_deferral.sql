ALTER TABLE webhook_deferral ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON webhook_deferral FOR SELECT USING (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON webhook_deferral FOR INSERT WITH CHECK (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON webhook_deferral FOR UPDATE USING (
  (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON webhook_deferral FOR DELETE USING (
  (SELECT current_setting('armature.user', true) = 'system')
);
