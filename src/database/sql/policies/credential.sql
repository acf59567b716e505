ALTER TABLE credential ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON credential FOR SELECT USING (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON credential FOR INSERT WITH CHECK (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON credential FOR UPDATE USING (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR (SELECT is_system_actor())
) WITH CHECK (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON credential FOR DELETE USING (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR (SELECT is_system_actor())
);
