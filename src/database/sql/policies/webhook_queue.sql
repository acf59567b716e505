ALTER TABLE webhook_queue ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON webhook_queue FOR SELECT USING (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON webhook_queue FOR INSERT WITH CHECK (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON webhook_queue FOR UPDATE USING (
  (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON webhook_queue FOR DELETE USING (
  (SELECT current_setting('armature.user', true) = 'system')
);
