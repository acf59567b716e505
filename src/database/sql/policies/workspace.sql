ALTER TABLE workspace ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON workspace FOR SELECT USING (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace'))
  OR owner = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON workspace FOR INSERT WITH CHECK (
  owner = (SELECT current_actor_id()) AND organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON workspace FOR UPDATE USING (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace'))
  OR owner = (SELECT current_actor_id())
  OR (SELECT is_system_actor())
) WITH CHECK (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR id IN (SELECT granted_resources((SELECT current_actor_id()), 'workspace', 4))
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON workspace FOR DELETE USING (
  (SELECT is_system_actor())
);
