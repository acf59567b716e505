-- Adjusts record_total when a record is deleted or restored.
CREATE OR REPLACE FUNCTION count_changed()
  RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp
AS $$
BEGIN
  IF OLD.deleted_at IS NULL THEN
    INSERT INTO record_total (organization_id, record, amount) VALUES (OLD.organization_id, TG_TABLE_NAME, -1);
  END IF;
  IF NEW.deleted_at IS NULL THEN
    INSERT INTO record_total (organization_id, record, amount) VALUES (NEW.organization_id, TG_TABLE_NAME, 1);
  END IF;
  RETURN NULL;
END
$$;
