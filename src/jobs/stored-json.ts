/** What PostgreSQL keeps in no `jsonb`: the character NUL and halves of surrogate pairs. */
const NOT_STORABLE = /[\0\p{Surrogate}]/gu;

/** The value as JSON that a `jsonb` column takes; null stays the SQL null. */
export function storedJson(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'string' ? part.replace(NOT_STORABLE, '\uFFFD') : part,
  );
}
