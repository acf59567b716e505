ALTER TABLE team_member ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON team_member FOR SELECT USING (
  EXISTS (SELECT FROM team holder WHERE holder.id = team_id AND true)
  OR user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON team_member FOR INSERT WITH CHECK (
  EXISTS (SELECT FROM team holder WHERE holder.id = team_id AND holder.organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5))))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON team_member FOR UPDATE USING (
  EXISTS (SELECT FROM team holder WHERE holder.id = team_id AND true)
  OR user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  EXISTS (SELECT FROM team holder WHERE holder.id = team_id AND holder.organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5))))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON team_member FOR DELETE USING (
  user_id = (SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid)
  OR EXISTS (SELECT FROM team holder WHERE holder.id = team_id AND holder.organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5))))
  OR (SELECT current_setting('armature.user', true) = 'system')
);
