/** Characters that `jsonb` rejects: NUL and lone surrogates. */
const UNSTORABLE_CHARACTERS = /[\0\p{Surrogate}]/gu;
/** How JSON.stringify escapes them; an escaped backslash before `u` looks the same, which only costs time. */
const ESCAPED = /\\u(?:0000|d[89a-f])/;

/** Serializes a value for a `jsonb` column; null remains SQL NULL. */
export function toJsonb(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const text = JSON.stringify(value);
  if (!ESCAPED.test(text)) return text;
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'string' ? part.replace(UNSTORABLE_CHARACTERS, '\uFFFD') : part,
  );
}
