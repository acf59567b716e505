ALTER TABLE failed_attempt ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON failed_attempt FOR SELECT USING (
  (SELECT is_system_actor())
);

CREATE POLICY insert ON failed_attempt FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON failed_attempt FOR UPDATE USING (
  (SELECT is_system_actor())
) WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY delete ON failed_attempt FOR DELETE USING (
  (SELECT is_system_actor())
);
