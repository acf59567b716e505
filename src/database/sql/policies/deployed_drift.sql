ALTER TABLE deployed_drift ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON deployed_drift FOR SELECT USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR connection_id IN (SELECT granted_resources((SELECT current_actor_id()), 'connection'))
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON deployed_drift FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON deployed_drift FOR UPDATE USING (
  (SELECT is_system_actor())
);

CREATE POLICY delete ON deployed_drift FOR DELETE USING (
  (SELECT is_system_actor())
);
