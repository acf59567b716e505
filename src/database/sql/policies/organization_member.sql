ALTER TABLE organization_member ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON organization_member FOR SELECT USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))
  OR user_id = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON organization_member FOR INSERT WITH CHECK (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5))) AND (role < 6 OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 6))))
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON organization_member FOR UPDATE USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))
  OR user_id = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
) WITH CHECK (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5))) AND (role < 6 OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 6))))
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON organization_member FOR DELETE USING (
  user_id = (SELECT current_actor_id())
  OR (organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5))) AND (role < 6 OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 6)))))
  OR (SELECT is_system_actor())
);
