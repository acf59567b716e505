ALTER TABLE idempotency_key ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON idempotency_key FOR SELECT USING (
  caller = (SELECT nullif(current_setting('armature.user', true), ''))
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON idempotency_key FOR INSERT WITH CHECK (
  caller = (SELECT nullif(current_setting('armature.user', true), ''))
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON idempotency_key FOR UPDATE USING (
  caller = (SELECT nullif(current_setting('armature.user', true), ''))
  OR (SELECT is_system_actor())
) WITH CHECK (
  caller = (SELECT nullif(current_setting('armature.user', true), ''))
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON idempotency_key FOR DELETE USING (
  caller = (SELECT nullif(current_setting('armature.user', true), ''))
  OR (SELECT is_system_actor())
);
