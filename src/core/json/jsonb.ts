/** Characters that `jsonb` rejects: NUL and lone surrogates. */
const UNSTORABLE_CHARACTERS = /[\0\p{Surrogate}]/gu;

/** Serializes a value for a `jsonb` column; null remains SQL NULL. */
export function toJsonb(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'string' ? part.replace(UNSTORABLE_CHARACTERS, '\uFFFD') : part,
  );
}
