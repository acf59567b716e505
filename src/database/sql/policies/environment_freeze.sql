ALTER TABLE environment_freeze ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON environment_freeze FOR SELECT USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON environment_freeze FOR INSERT WITH CHECK (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON environment_freeze FOR UPDATE USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON environment_freeze FOR DELETE USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR (SELECT is_system_actor())
);
