-- Adds inserted records to record_total. As the owner of the tables, because those who create records may not write
-- totals.
CREATE OR REPLACE FUNCTION count_added()
  RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp
AS $$
BEGIN
  INSERT INTO record_total (organization_id, record, amount)
    SELECT organization_id, TG_TABLE_NAME, count(*) FROM added WHERE deleted_at IS NULL GROUP BY organization_id;
  RETURN NULL;
END
$$;
