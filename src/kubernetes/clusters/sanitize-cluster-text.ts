/** The maximum length of a text of a cluster; real ones have a tenth of it. */
const MAX_CHARACTERS = 4_000;

/** The end of a truncated text. */
export const TRUNCATION_MARK = ' … (cut)';

/** Control characters except line break and tab, lone surrogates, and characters that change the writing direction. */
const UNPRINTABLE = /[\p{Cs}\u202a-\u202e\u2066-\u2069]|[^\P{Cc}\n\t]/gu;

/** Sanitizes a text of a cluster, such as the message of a Status, for storage and display; empty when it is not a string. */
export function sanitizeClusterText(text: unknown, longest = MAX_CHARACTERS): string {
  if (typeof text !== 'string') return '';
  const isLong = text.length > longest;
  return (isLong ? text.slice(0, longest) : text).replace(UNPRINTABLE, '') + (isLong ? TRUNCATION_MARK : '');
}
