ALTER TABLE deployment_change ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON deployment_change FOR SELECT USING (
  (SELECT is_system_actor())
);

CREATE POLICY insert ON deployment_change FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON deployment_change FOR UPDATE USING (
  (SELECT is_system_actor())
) WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY delete ON deployment_change FOR DELETE USING (
  (SELECT is_system_actor())
);
