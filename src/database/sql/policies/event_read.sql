ALTER TABLE event_read ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON event_read FOR SELECT USING (
  user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON event_read FOR INSERT WITH CHECK (
  user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON event_read FOR UPDATE USING (
  user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON event_read FOR DELETE USING (
  user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR (SELECT current_setting('armature.user', true) = 'system')
);
