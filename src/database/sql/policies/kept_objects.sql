ALTER TABLE kept_objects ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON kept_objects FOR SELECT USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR connection_id IN (SELECT granted_resources((SELECT current_actor_id()), 'connection'))
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON kept_objects FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON kept_objects FOR UPDATE USING (
  (SELECT is_system_actor())
);

CREATE POLICY delete ON kept_objects FOR DELETE USING (
  (SELECT is_system_actor())
);
