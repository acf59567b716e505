ALTER TABLE webhook_pause ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON webhook_pause FOR SELECT USING (
  (SELECT is_system_actor())
);

CREATE POLICY insert ON webhook_pause FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON webhook_pause FOR UPDATE USING (
  (SELECT is_system_actor())
) WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY delete ON webhook_pause FOR DELETE USING (
  (SELECT is_system_actor())
);
