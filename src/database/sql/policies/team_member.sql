ALTER TABLE team_member ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON team_member FOR SELECT USING (
  EXISTS (SELECT FROM team holder WHERE holder.id = team_id)
  OR user_id = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON team_member FOR INSERT WITH CHECK (
  EXISTS (SELECT FROM team holder WHERE holder.id = team_id AND holder.organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5))))
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON team_member FOR UPDATE USING (
  EXISTS (SELECT FROM team holder WHERE holder.id = team_id)
  OR user_id = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
) WITH CHECK (
  EXISTS (SELECT FROM team holder WHERE holder.id = team_id AND holder.organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5))))
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON team_member FOR DELETE USING (
  user_id = (SELECT current_actor_id())
  OR EXISTS (SELECT FROM team holder WHERE holder.id = team_id AND holder.organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5))))
  OR (SELECT is_system_actor())
);
