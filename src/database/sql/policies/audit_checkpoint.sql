-- Append-only, even for the system.
ALTER TABLE audit_checkpoint ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON audit_checkpoint FOR SELECT USING (
  chain = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON audit_checkpoint FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON audit_checkpoint FOR UPDATE USING (
  false
) WITH CHECK (
  false
);

CREATE POLICY delete ON audit_checkpoint FOR DELETE USING (
  false
);

REVOKE UPDATE, DELETE ON audit_checkpoint FROM armature_service;
