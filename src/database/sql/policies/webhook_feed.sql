ALTER TABLE webhook_feed ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON webhook_feed FOR SELECT USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON webhook_feed FOR INSERT WITH CHECK (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON webhook_feed FOR UPDATE USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON webhook_feed FOR DELETE USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);
