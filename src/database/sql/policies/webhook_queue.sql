ALTER TABLE webhook_queue ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON webhook_queue FOR SELECT USING (
  (SELECT is_system_actor())
);

CREATE POLICY insert ON webhook_queue FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON webhook_queue FOR UPDATE USING (
  (SELECT is_system_actor())
) WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY delete ON webhook_queue FOR DELETE USING (
  (SELECT is_system_actor())
);
