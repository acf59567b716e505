-- Append-only, even for the system: entries change and go through the functions audit_erase and audit_prune only.
ALTER TABLE audit_entry ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON audit_entry FOR SELECT USING (
  chain = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON audit_entry FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON audit_entry FOR UPDATE USING (
  false
) WITH CHECK (
  false
);

CREATE POLICY delete ON audit_entry FOR DELETE USING (
  false
);

REVOKE UPDATE, DELETE ON audit_entry FROM armature_service;
