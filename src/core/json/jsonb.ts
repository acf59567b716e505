/** What PostgreSQL keeps in no `jsonb`: the character NUL and halves of surrogate pairs. */
const UNSTORABLE_CHARACTERS = /[\0\p{Surrogate}]/gu;

/** The value as JSON that a `jsonb` column takes; null stays the SQL null. */
export function toJsonb(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'string' ? part.replace(UNSTORABLE_CHARACTERS, '\uFFFD') : part,
  );
}
