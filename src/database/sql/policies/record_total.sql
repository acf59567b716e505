ALTER TABLE record_total ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON record_total FOR SELECT USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON record_total FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON record_total FOR UPDATE USING (
  (SELECT is_system_actor())
);

CREATE POLICY delete ON record_total FOR DELETE USING (
  (SELECT is_system_actor())
);
