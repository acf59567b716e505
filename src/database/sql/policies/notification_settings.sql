ALTER TABLE notification_settings ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON notification_settings FOR SELECT USING (
  user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON notification_settings FOR INSERT WITH CHECK (
  user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON notification_settings FOR UPDATE USING (
  user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON notification_settings FOR DELETE USING (
  user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR (SELECT current_setting('armature.user', true) = 'system')
);
