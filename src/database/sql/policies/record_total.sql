ALTER TABLE record_total ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON record_total FOR SELECT USING (
  organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON record_total FOR INSERT WITH CHECK (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON record_total FOR UPDATE USING (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON record_total FOR DELETE USING (
  (SELECT current_setting('armature.user', true) = 'system')
);
