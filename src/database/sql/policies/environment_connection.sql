ALTER TABLE environment_connection ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON environment_connection FOR SELECT USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON environment_connection FOR INSERT WITH CHECK (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON environment_connection FOR UPDATE USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))
  OR (SELECT is_system_actor())
) WITH CHECK (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON environment_connection FOR DELETE USING (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR (SELECT is_system_actor())
);
