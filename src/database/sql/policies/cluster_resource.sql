ALTER TABLE cluster_resource ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON cluster_resource FOR SELECT USING (
  organization_id = (SELECT concerned_organization((SELECT current_actor_id()), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR connection_id IN (SELECT granted_resources((SELECT current_actor_id()), 'connection'))
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON cluster_resource FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON cluster_resource FOR UPDATE USING (
  (SELECT is_system_actor())
);

CREATE POLICY delete ON cluster_resource FOR DELETE USING (
  (SELECT is_system_actor())
);
