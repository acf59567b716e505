ALTER TABLE event_counter ENABLE ROW LEVEL SECURITY;

CREATE POLICY "select" ON event_counter FOR SELECT USING (
  feed = '00000000-0000-0000-0000-000000000000'
  OR feed = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))
  OR (SELECT is_system_actor())
);

CREATE POLICY insert ON event_counter FOR INSERT WITH CHECK (
  feed = '00000000-0000-0000-0000-000000000000'::uuid
  OR feed = (SELECT concerned_organization((SELECT current_actor_id()), 1))
  OR feed = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))
  OR (SELECT is_system_actor())
);

CREATE POLICY update ON event_counter FOR UPDATE USING (
  feed = '00000000-0000-0000-0000-000000000000'::uuid
  OR feed = (SELECT concerned_organization((SELECT current_actor_id()), 1))
  OR feed = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))
  OR (SELECT is_system_actor())
) WITH CHECK (
  feed = '00000000-0000-0000-0000-000000000000'::uuid
  OR feed = (SELECT concerned_organization((SELECT current_actor_id()), 1))
  OR feed = ANY (ARRAY(SELECT organizations_of((SELECT current_actor_id()), 1)))
  OR (SELECT is_system_actor())
);

CREATE POLICY delete ON event_counter FOR DELETE USING (
  (SELECT is_system_actor())
);
