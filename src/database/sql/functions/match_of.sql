-- How a name matches a text: 0 is it, 1 begins with it, 2 contains it.
CREATE OR REPLACE FUNCTION match_of(name text, wanted text)
  RETURNS integer
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT CASE WHEN lower(name) = lower(wanted) THEN 0 WHEN starts_with(lower(name), lower(wanted)) THEN 1 ELSE 2 END
$$;
GRANT EXECUTE ON FUNCTION match_of(text, text) TO armature_service;
