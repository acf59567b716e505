import { createHash } from 'node:crypto';

/** The number of named texts; others are planned on each call. */
const MAX_NAMED = 1_000;

const names = new Map<string, string>();

/**
 * Names a constant statement, so that each connection parses it once and, where PostgreSQL chooses a generic plan,
 * plans it once. Not for statements whose plan depends on a value, such as a search.
 */
export function named(text: string): string {
  if (!names.has(text) && names.size < MAX_NAMED)
    names.set(text, createHash('sha256').update(text).digest('base64url').slice(0, 16));
  return text;
}

/** The name of a prepared statement, if the text has one. */
export const getStatementName = (text: string): string | undefined => names.get(text);
