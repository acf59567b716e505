ALTER TABLE audit_chain ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON audit_chain FOR SELECT USING (
  (SELECT is_system_actor())
);

CREATE POLICY insert ON audit_chain FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON audit_chain FOR UPDATE USING (
  (SELECT is_system_actor())
) WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY delete ON audit_chain FOR DELETE USING (
  (SELECT is_system_actor())
);
