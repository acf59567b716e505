ALTER TABLE audit_forwarding ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON audit_forwarding FOR SELECT USING (
  (SELECT is_system_actor())
);

CREATE POLICY insert ON audit_forwarding FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON audit_forwarding FOR UPDATE USING (
  (SELECT is_system_actor())
) WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY delete ON audit_forwarding FOR DELETE USING (
  (SELECT is_system_actor())
);
