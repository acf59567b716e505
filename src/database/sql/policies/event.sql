ALTER TABLE event ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON event FOR SELECT USING (
  organization_id IS NULL
  OR user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 1)))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON event FOR INSERT WITH CHECK (
  (user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid) AND (organization_id IS NULL OR organization_id = (SELECT concerned_organization((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 1)) OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 1)))))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON event FOR UPDATE USING (
  organization_id IS NULL
  OR user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 1)))
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON event FOR DELETE USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);
