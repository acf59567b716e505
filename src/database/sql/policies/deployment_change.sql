ALTER TABLE deployment_change ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON deployment_change FOR SELECT USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON deployment_change FOR INSERT WITH CHECK (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON deployment_change FOR UPDATE USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON deployment_change FOR DELETE USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);
