import { createHash } from 'node:crypto';

/** Texts that have names; further ones are planned at each call. */
const MAX_NAMED = 1_000;

const names = new Map<string, string>();

/**
 * Names a constant text, so that each connection parses it once and, where one plan fits all values, plans it once. Not for a text
 * whose plan depends on a value, such as a search.
 */
export function named(text: string): string {
  if (!names.has(text) && names.size < MAX_NAMED)
    names.set(text, createHash('sha256').update(text).digest('base64url').slice(0, 16));
  return text;
}

/** The name that connections prepare a text under, if it has one. */
export const getStatementName = (text: string): string | undefined => names.get(text);
