ALTER TABLE kept_objects ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON kept_objects FOR SELECT USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR connection_id IN (SELECT granted_resources((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 'connection'))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON kept_objects FOR INSERT WITH CHECK (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON kept_objects FOR UPDATE USING (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON kept_objects FOR DELETE USING (
  (SELECT current_setting('armature.user', true) = 'system')
);
