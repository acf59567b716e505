ALTER TABLE event ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON event FOR SELECT USING (
  organization_id IS NULL
  OR user_id = (SELECT current_actor_id())
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON event FOR INSERT WITH CHECK (
  (user_id = (SELECT current_actor_id()) AND (organization_id IS NULL OR organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 1)) OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))))
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON event FOR UPDATE USING (
  organization_id IS NULL
  OR user_id = (SELECT current_actor_id())
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))
  OR (SELECT is_system_actor())
) WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY delete ON event FOR DELETE USING (
  (SELECT is_system_actor())
);
