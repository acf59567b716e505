ALTER TABLE known_network ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON known_network FOR SELECT USING (
  (SELECT is_system_actor())
);

CREATE POLICY insert ON known_network FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON known_network FOR UPDATE USING (
  (SELECT is_system_actor())
) WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY delete ON known_network FOR DELETE USING (
  (SELECT is_system_actor())
);
