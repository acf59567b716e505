-- Append-only, even for the system: entries change and go through the functions audit_erase and audit_prune only.
ALTER TABLE audit_entry ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON audit_entry FOR SELECT USING (
  chain = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON audit_entry FOR INSERT WITH CHECK (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON audit_entry FOR UPDATE USING (
  false
) WITH CHECK (
  false
);

CREATE POLICY removing ON audit_entry FOR DELETE USING (
  false
);

REVOKE UPDATE, DELETE ON audit_entry FROM armature_service;
