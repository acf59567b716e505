ALTER TABLE audit_key ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON audit_key FOR SELECT USING (
  (SELECT is_system_actor())
);

CREATE POLICY insert ON audit_key FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON audit_key FOR UPDATE USING (
  (SELECT is_system_actor())
) WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY delete ON audit_key FOR DELETE USING (
  (SELECT is_system_actor())
);
