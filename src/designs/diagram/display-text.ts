/** Characters of foreign text that are looked at; nobody reads more of a name. */
const LONGEST = 300;
/** Control characters, surrogates without a partner, marks of direction; the two joiners belong to words. */
const UNSEEN = /(?![\u200c\u200d])\p{C}+/gu;
/** Marks heaped on one letter would reach over the lines around it. */
const HEAP = /(\p{M}{3})\p{M}+/gu;
const ELLIPSIS = '…';

/** Widths of one character in parts of the font size, as wide as the widest of the common sans-serif fonts has them. */
const WIDTHS: readonly (readonly [RegExp, number])[] = [
  [/^\p{M}|[\u200c\u200d]/u, 0],
  [/^[ijl.,:;'|!]/, 0.32],
  [/^[-fIrt()[\]{}/\\ "]/, 0.41],
  [/^[mwMW@%—]/, 0.98],
  [/^[A-Z&]/, 0.74],
  [/^[ -~]/, 0.62],
  [/^[\u00a0-\u024f\u0370-\u052f\u0590-\u06ff]/, 0.78],
];
const WIDE = 1.05;

/** Foreign text as one line of visible characters, at most `longest` UTF-16 units. */
export function displayText(text: string, longest = 200): string {
  const clean = text.slice(0, LONGEST).replace(UNSEEN, ' ').replace(HEAP, '$1').replace(/\s+/g, ' ').trim();
  if (clean.length <= longest && text.length <= LONGEST) return clean;
  return `${[...segments(clean.slice(0, longest))].slice(0, -1).join('').trimEnd()}${ELLIPSIS}`;
}

/** How wide a line may become, in pixels; rather too much than too little, because the reader's font is not known. */
export function widthOf(text: string, fontSize: number): number {
  let sum = 0;
  for (const char of text) sum += WIDTHS.find(([pattern]) => pattern.test(char))?.[1] ?? WIDE;
  return Math.ceil(sum * fontSize);
}

/** As much of a line as there is room for, with an ellipsis where something was left out. */
export function fitted(text: string, width: number, fontSize: number): string {
  if (widthOf(text, fontSize) <= width) return text;
  const room = width - widthOf(ELLIPSIS, fontSize);
  return `${beginning(text, room, fontSize).trimEnd()}${ELLIPSIS}`;
}

/** A name in as many lines as it needs and may have, broken after a separator where there is one in reach. */
export function wrapped(name: string, width: number, fontSize: number, most: number): string[] {
  if (most <= 1 || widthOf(name, fontSize) <= width) return [fitted(name, width, fontSize)];
  const longest = beginning(name, width, fontSize);
  const separated = /^.*[-\s./:_]/su.exec(longest)?.[0] ?? '';
  const first = separated.length > longest.length / 3 ? separated : longest;
  const rest = name.slice(first.length).trimStart();
  return [first.trimEnd(), ...wrapped(rest, width, fontSize, most - 1)];
}

function beginning(text: string, width: number, fontSize: number): string {
  let taken = '';
  let used = 0;
  for (const segment of segments(text)) {
    used += widthOf(segment, fontSize);
    if (used > width) break;
    taken += segment;
  }
  return taken;
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** What a reader takes for single characters. */
function* segments(text: string): Generator<string> {
  for (const { segment } of segmenter.segment(text)) yield segment;
}
