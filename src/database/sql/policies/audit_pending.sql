-- Changes are added by triggers, and deleted when they are sealed. Sealing processes of versions without change sets see
-- none, because they would seal a change without its events.
ALTER TABLE audit_pending ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON audit_pending FOR SELECT USING (
  (SELECT is_system_actor() AND current_setting('armature.sealing', true) = 'change sets')
);

CREATE POLICY insert ON audit_pending FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON audit_pending FOR UPDATE USING (
  (SELECT is_system_actor())
) WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY delete ON audit_pending FOR DELETE USING (
  (SELECT is_system_actor())
);

REVOKE UPDATE ON audit_pending FROM armature_service;
