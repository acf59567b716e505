ALTER TABLE connection ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON connection FOR SELECT USING (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR id IN (SELECT granted_resources((SELECT current_actor_id()), 'connection'))
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON connection FOR INSERT WITH CHECK (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON connection FOR UPDATE USING (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR id IN (SELECT granted_resources((SELECT current_actor_id()), 'connection'))
  OR (SELECT is_system_actor())
) WITH CHECK (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON connection FOR DELETE USING (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR (SELECT is_system_actor())
);
