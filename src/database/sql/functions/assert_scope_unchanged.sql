-- Refuses a change of the columns that say to whom a record belongs, except by the system. The condition of each
-- trigger names the columns.
CREATE OR REPLACE FUNCTION assert_scope_unchanged()
  RETURNS trigger
  LANGUAGE plpgsql
AS $$
BEGIN
  IF current_setting('armature.user', true) IS DISTINCT FROM 'system' AND row_security_active(TG_RELID) THEN
    RAISE insufficient_privilege USING MESSAGE = format('a protected column of %s is changed by the system only', TG_TABLE_NAME);
  END IF;
  RETURN NEW;
END
$$;
