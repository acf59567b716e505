ALTER TABLE webhook_feed ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON webhook_feed FOR SELECT USING (
  (SELECT is_system_actor())
);

CREATE POLICY insert ON webhook_feed FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON webhook_feed FOR UPDATE USING (
  (SELECT is_system_actor())
) WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY delete ON webhook_feed FOR DELETE USING (
  (SELECT is_system_actor())
);
