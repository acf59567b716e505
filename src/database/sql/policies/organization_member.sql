ALTER TABLE organization_member ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON organization_member FOR SELECT USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 1)))
  OR user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON organization_member FOR INSERT WITH CHECK (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5))) AND (role < 6 OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 6))))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON organization_member FOR UPDATE USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 1)))
  OR user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5))) AND (role < 6 OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 6))))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON organization_member FOR DELETE USING (
  user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR (organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5))) AND (role < 6 OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 6)))))
  OR (SELECT current_setting('armature.user', true) = 'system')
);
