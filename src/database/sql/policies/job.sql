ALTER TABLE job ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON job FOR SELECT USING (
  requested_by = (SELECT current_actor_id())
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR (organization_id IS NULL AND (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT current_actor_id()) AND installation_admin)))
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON job FOR INSERT WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY update ON job FOR UPDATE USING (
  requested_by = (SELECT current_actor_id())
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 5)))
  OR (organization_id IS NULL AND (SELECT EXISTS (SELECT FROM app_user WHERE id = (SELECT current_actor_id()) AND installation_admin)))
  OR (SELECT is_system_actor())
) WITH CHECK (
  (SELECT is_system_actor())
);

CREATE POLICY delete ON job FOR DELETE USING (
  (SELECT is_system_actor())
);
