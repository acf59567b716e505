ALTER TABLE webhook_deferral ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON webhook_deferral FOR SELECT USING (
  (SELECT is_system_actor())
);

CREATE POLICY insert ON webhook_deferral FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON webhook_deferral FOR UPDATE USING (
  (SELECT is_system_actor())
) WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY delete ON webhook_deferral FOR DELETE USING (
  (SELECT is_system_actor())
);
