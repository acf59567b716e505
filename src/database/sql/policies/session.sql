ALTER TABLE session ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON session FOR SELECT USING (
  (SELECT is_system_actor())
);

CREATE POLICY insert ON session FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON session FOR UPDATE USING (
  (SELECT is_system_actor())
) WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY delete ON session FOR DELETE USING (
  (SELECT is_system_actor())
);
