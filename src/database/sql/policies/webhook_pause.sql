ALTER TABLE webhook_pause ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON webhook_pause FOR SELECT USING (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON webhook_pause FOR INSERT WITH CHECK (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON webhook_pause FOR UPDATE USING (
  (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON webhook_pause FOR DELETE USING (
  (SELECT current_setting('armature.user', true) = 'system')
);
