ALTER TABLE notification_feed ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON notification_feed FOR SELECT USING (
  (SELECT is_system_actor())
);

CREATE POLICY insert ON notification_feed FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON notification_feed FOR UPDATE USING (
  (SELECT is_system_actor())
) WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY delete ON notification_feed FOR DELETE USING (
  (SELECT is_system_actor())
);
