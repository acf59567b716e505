/** Characters of one text of a cluster; real ones have a tenth of it. */
const MAX_CHARACTERS = 4_000;

/** What stands at the end of a text that was too long to be kept. */
export const TRUNCATION_MARK = ' … (cut)';

/** Control characters but for line break and tab, halves of characters, and what turns the direction of writing. */
const UNPRINTABLE = /[\p{Cs}\u202a-\u202e\u2066-\u2069]|[^\P{Cc}\n\t]/gu;

/** A text that a cluster says, such as the message of a Status, as it may be kept and shown; empty when it is no text. */
export function sanitizeClusterText(said: unknown, longest = MAX_CHARACTERS): string {
  if (typeof said !== 'string') return '';
  const isLong = said.length > longest;
  return (isLong ? said.slice(0, longest) : said).replace(UNPRINTABLE, '') + (isLong ? TRUNCATION_MARK : '');
}
