ALTER TABLE known_network ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON known_network FOR SELECT USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON known_network FOR INSERT WITH CHECK (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON known_network FOR UPDATE USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
) WITH CHECK (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON known_network FOR DELETE USING (
  false
  OR (SELECT current_setting('armature.user', true) = 'system')
);
