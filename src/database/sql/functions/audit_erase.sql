-- Erases personal data of a person from entries of a chain: who acted, and details that name the person. The hashes of
-- the chain cover digests, so it stays verifiable.
CREATE OR REPLACE FUNCTION audit_erase(of_chain uuid, person uuid, address text, most integer)
  RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp
AS $$
DECLARE
  erased integer;
  pattern text := '(?<![\w.+-])' || regexp_replace(address, '([^\w@])', '\\\1', 'g') || '(?![\w-]|\.\w)';
BEGIN
  IF NOT (SELECT current_setting('armature.user', true) = 'system') THEN
    RAISE insufficient_privilege USING MESSAGE = 'the system erases personal data';
  END IF;
  UPDATE audit_entry entry SET
      personal = CASE WHEN found.acts THEN NULL ELSE entry.personal END,
      personal_salt = CASE WHEN found.acts THEN NULL ELSE entry.personal_salt END,
      details = CASE WHEN found.tells THEN NULL ELSE entry.details END,
      details_salt = CASE WHEN found.tells THEN NULL ELSE entry.details_salt END
    FROM (SELECT id, coalesce(actor_id = person OR on_behalf_of = person, false) AS acts,
                 coalesce(resource_id = person::text OR (address <> '' AND details ~* pattern), false) AS tells
            FROM audit_entry
           WHERE chain = of_chain
             AND ((personal IS NOT NULL AND (actor_id = person OR on_behalf_of = person))
               OR (details IS NOT NULL AND (resource_id = person::text OR (address <> '' AND details ~* pattern))))
             AND action <> 'audit.personal_data_erased'
           LIMIT most) AS found
   WHERE entry.id = found.id;
  GET DIAGNOSTICS erased = ROW_COUNT;
  RETURN erased;
END
$$;
GRANT EXECUTE ON FUNCTION audit_erase(uuid, uuid, text, integer) TO armature_service;
