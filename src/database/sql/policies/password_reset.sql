ALTER TABLE password_reset ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON password_reset FOR SELECT USING (
  (SELECT is_system_actor())
);

CREATE POLICY insert ON password_reset FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON password_reset FOR UPDATE USING (
  (SELECT is_system_actor())
) WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY delete ON password_reset FOR DELETE USING (
  (SELECT is_system_actor())
);
