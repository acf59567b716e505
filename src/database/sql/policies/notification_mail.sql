ALTER TABLE notification_mail ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON notification_mail FOR SELECT USING (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON notification_mail FOR INSERT WITH CHECK (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON notification_mail FOR UPDATE USING (
  (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON notification_mail FOR DELETE USING (
  (SELECT current_setting('armature.user', true) = 'system')
);
