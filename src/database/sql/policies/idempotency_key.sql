ALTER TABLE idempotency_key ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON idempotency_key FOR SELECT USING (
  caller = (SELECT nullif(current_setting('armature.user', true), ''))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON idempotency_key FOR INSERT WITH CHECK (
  caller = (SELECT nullif(current_setting('armature.user', true), ''))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON idempotency_key FOR UPDATE USING (
  caller = (SELECT nullif(current_setting('armature.user', true), ''))
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  caller = (SELECT nullif(current_setting('armature.user', true), ''))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON idempotency_key FOR DELETE USING (
  caller = (SELECT nullif(current_setting('armature.user', true), ''))
  OR (SELECT current_setting('armature.user', true) = 'system')
);
