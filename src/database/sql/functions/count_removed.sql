-- Subtracts removed rows from record_total.
CREATE OR REPLACE FUNCTION count_removed()
  RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp
AS $$
BEGIN
  INSERT INTO record_total (organization_id, record, amount)
    SELECT organization_id, TG_TABLE_NAME, -count(*) FROM removed WHERE deleted_at IS NULL GROUP BY organization_id;
  RETURN NULL;
END
$$;
