ALTER TABLE notification_mail ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON notification_mail FOR SELECT USING (
  (SELECT is_system_actor())
);

CREATE POLICY insert ON notification_mail FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON notification_mail FOR UPDATE USING (
  (SELECT is_system_actor())
) WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY delete ON notification_mail FOR DELETE USING (
  (SELECT is_system_actor())
);
