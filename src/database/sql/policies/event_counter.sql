ALTER TABLE event_counter ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON event_counter FOR SELECT USING (
  feed = '00000000-0000-0000-0000-000000000000'
  OR feed = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 1)))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON event_counter FOR INSERT WITH CHECK (
  feed = '00000000-0000-0000-0000-000000000000'::uuid
  OR feed = (SELECT concerned_organization((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 1))
  OR feed = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 1)))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON event_counter FOR UPDATE USING (
  feed = '00000000-0000-0000-0000-000000000000'::uuid
  OR feed = (SELECT concerned_organization((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 1))
  OR feed = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 1)))
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  feed = '00000000-0000-0000-0000-000000000000'::uuid
  OR feed = (SELECT concerned_organization((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 1))
  OR feed = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 1)))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON event_counter FOR DELETE USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);
