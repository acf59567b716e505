-- Append-only, even for the system.
ALTER TABLE audit_checkpoint ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON audit_checkpoint FOR SELECT USING (
  chain = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON audit_checkpoint FOR INSERT WITH CHECK (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON audit_checkpoint FOR UPDATE USING (
  false
) WITH CHECK (
  false
);

CREATE POLICY removing ON audit_checkpoint FOR DELETE USING (
  false
);

REVOKE UPDATE, DELETE ON audit_checkpoint FROM armature_service;
