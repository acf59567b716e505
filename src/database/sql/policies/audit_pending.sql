-- Changes are added by triggers, and deleted when they are sealed. Sealing processes of versions without change sets see
-- none, because they would seal a change without its events.
ALTER TABLE audit_pending ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON audit_pending FOR SELECT USING (
  (SELECT current_setting('armature.user', true) = 'system' AND current_setting('armature.sealing', true) = 'change sets')
);

CREATE POLICY adding ON audit_pending FOR INSERT WITH CHECK (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON audit_pending FOR UPDATE USING (
  (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON audit_pending FOR DELETE USING (
  (SELECT current_setting('armature.user', true) = 'system')
);

REVOKE UPDATE ON audit_pending FROM armature_service;
