ALTER TABLE cluster_watch ENABLE ROW LEVEL SECURITY;

CREATE POLICY reading ON cluster_watch FOR SELECT USING (
  organization_id = (SELECT concerned_organization((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5))
  OR organization_id = ANY (ARRAY(SELECT organizations_of((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 5)))
  OR connection_id IN (SELECT granted_resources((SELECT nullif(nullif(current_setting('armature.user', true), ''), 'system')::uuid), 'connection'))
  OR (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY adding ON cluster_watch FOR INSERT WITH CHECK (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY changing ON cluster_watch FOR UPDATE USING (
  (SELECT current_setting('armature.user', true) = 'system')
);

CREATE POLICY removing ON cluster_watch FOR DELETE USING (
  (SELECT current_setting('armature.user', true) = 'system')
);
