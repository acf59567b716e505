ALTER TABLE notification_feed ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON notification_feed FOR SELECT USING (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON notification_feed FOR INSERT WITH CHECK (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON notification_feed FOR UPDATE USING (
  (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON notification_feed FOR DELETE USING (
  (SELECT current_setting('armature.user', true) = 'system')
);
