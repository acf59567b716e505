ALTER TABLE data_key ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON data_key FOR SELECT USING (
  (SELECT is_system_actor())
);

CREATE POLICY insert ON data_key FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON data_key FOR UPDATE USING (
  (SELECT is_system_actor())
) WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY delete ON data_key FOR DELETE USING (
  (SELECT is_system_actor())
);
