ALTER TABLE notification_mark ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON notification_mark FOR SELECT USING (
  user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON notification_mark FOR INSERT WITH CHECK (
  user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON notification_mark FOR UPDATE USING (
  user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON notification_mark FOR DELETE USING (
  user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR (SELECT current_setting('armature.user', true) = 'system')
);
