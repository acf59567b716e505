ALTER TABLE refresh_token ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON refresh_token FOR SELECT USING (
  (SELECT is_system_actor())
);

CREATE POLICY insert ON refresh_token FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON refresh_token FOR UPDATE USING (
  (SELECT is_system_actor())
) WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY delete ON refresh_token FOR DELETE USING (
  (SELECT is_system_actor())
);
