/** The maximum length of displayed text; names are not readable beyond it. */
const MAX_INPUT_LENGTH = 300;
/** Control characters, unpaired surrogates, direction marks; the two joiners are part of words. */
const INVISIBLE = /(?![\u200c\u200d])\p{C}+/gu;
/** Many combining marks on one letter would overlap the neighboring lines. */
const STACKED_MARKS = /(\p{M}{3})\p{M}+/gu;
const ELLIPSIS = '…';

/** Widths of characters relative to the font size, from the widest common sans-serif font. */
const WIDTHS: readonly (readonly [RegExp, number])[] = [
  [/^\p{M}|[\u200c\u200d]/u, 0],
  [/^[ijl.,:;'|!]/, 0.32],
  [/^[-fIrt()[\]{}/\\ "]/, 0.41],
  [/^[mwMW@%—]/, 0.98],
  [/^[<>=+~^#]/, 0.85],
  [/^[A-Z&]/, 0.74],
  [/^[ -~]/, 0.62],
  [/^[\u00a0-\u024f\u0370-\u052f\u0590-\u06ff]/, 0.78],
];
const WIDE = 1.05;

/** Any text as one line of visible characters, at most `longest` UTF-16 units. */
export function toDisplayText(text: string, longest = 200): string {
  const clean = text
    .slice(0, MAX_INPUT_LENGTH)
    .replace(INVISIBLE, ' ')
    .replace(STACKED_MARKS, '$1')
    .replace(/\s+/g, ' ')
    .trim();
  if (clean.length <= longest && text.length <= MAX_INPUT_LENGTH) return clean;
  return `${[...splitGraphemes(clean.slice(0, longest))].slice(0, -1).join('').trimEnd()}${ELLIPSIS}`;
}

/** The estimated width of a line in pixels; an overestimate, because the reader's font is not known. */
export function measureWidth(text: string, fontSize: number): number {
  let sum = 0;
  for (const char of text) sum += WIDTHS.find(([pattern]) => pattern.test(char))?.[1] ?? WIDE;
  return Math.ceil(sum * fontSize);
}

/** The part of a line that fits, with an ellipsis where text was cut. */
export function truncateToWidth(text: string, width: number, fontSize: number): string {
  if (measureWidth(text, fontSize) <= width) return text;
  const room = width - measureWidth(ELLIPSIS, fontSize);
  return `${prefixWithin(text, room, fontSize).trimEnd()}${ELLIPSIS}`;
}

/** A name in the lines it needs, up to a maximum, broken after a separator if possible. */
export function wrapText(name: string, width: number, fontSize: number, most: number): string[] {
  if (most <= 1 || measureWidth(name, fontSize) <= width) return [truncateToWidth(name, width, fontSize)];
  const longest = prefixWithin(name, width, fontSize);
  const separated = /^.*[-\s./:_]/su.exec(longest)?.[0] ?? '';
  const first = separated.length > longest.length / 3 ? separated : longest;
  const rest = name.slice(first.length).trimStart();
  return [first.trimEnd(), ...wrapText(rest, width, fontSize, most - 1)];
}

function prefixWithin(text: string, width: number, fontSize: number): string {
  let taken = '';
  let used = 0;
  for (const segment of splitGraphemes(text)) {
    used += measureWidth(segment, fontSize);
    if (used > width) break;
    taken += segment;
  }
  return taken;
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Grapheme clusters. */
function* splitGraphemes(text: string): Generator<string> {
  for (const { segment } of segmenter.segment(text)) yield segment;
}

/** Text escaped for XML elements and attributes. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
