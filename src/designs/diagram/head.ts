import { type Diagram } from './diagram.js';
import { fitted, widthOf } from './display-text.js';
import { SORT_NAMES, SORTS } from './kind-sorts.js';
import { FONT } from './texts.js';
import { escaped } from './xml.js';

const LINE = { title: 26, note: 18, legend: 24 };
const SWATCH = 12;
const GAP = 18;

/** What stands above a picture: its title, its notes, and what the colours mean that are in it. `height` is in pixels. */
export function headOf(diagram: Diagram, width: number): { svg: string; height: number } {
  const notes = lines(diagram.notes.map((note) => ({ note, width: widthOf(`${note} · `, FONT.note) })), width); // prettier-ignore
  const legend = lines(legendOf(diagram), width);
  const top = LINE.title + notes.length * LINE.note;
  const svg = [
    `<text class="title" y="${FONT.title}">${escaped(fitted(diagram.title, width, FONT.title))}</text>`,
    ...notes.map((line, row) => `<text class="note" y="${LINE.title + row * LINE.note + FONT.note}">${escaped(fitted(line.map(({ note }) => note).join(' · '), width, FONT.note))}</text>`),
    ...legend.map((line, row) => `<g class="legend" transform="translate(0 ${top + row * LINE.legend + 8})">${swatches(line)}</g>`),
  ]; // prettier-ignore
  return { svg: svg.join('\n'), height: top + legend.length * LINE.legend + GAP };
}

interface Entry {
  text: string;
  width: number;
  sign: string;
}

function legendOf({ nodes, edges }: Diagram): Entry[] {
  const shown = new Set(nodes.map(({ sort }) => sort));
  const entry = (text: string, sign: string): Entry => ({
    text,
    sign,
    width: SWATCH + 6 + widthOf(text, FONT.note) + GAP,
  });
  return [
    ...SORTS.filter((sort) => shown.has(sort)).map((sort) => entry(SORT_NAMES[sort], `<g class="${sort}"><rect width="${SWATCH}" height="${SWATCH}" rx="3"/></g>`)),
    ...(edges.some(({ isParent }) => isParent) ? [entry('is a part of', `<g class="edge parent"><path d="M-4,6 H12"/></g>`)] : []),
  ]; // prettier-ignore
}

function swatches(entries: readonly Entry[]): string {
  let x = 0;
  return entries
    .map(({ text, sign, width }) => {
      const svg = `<g transform="translate(${x} 0)">${sign}<text x="${SWATCH + 6}" y="10">${escaped(text)}</text></g>`;
      x += width;
      return svg;
    })
    .join('');
}

/** As many in one line as fit. */
function lines<Item extends { width: number }>(items: readonly Item[], width: number): Item[][] {
  const rows: Item[][] = [];
  let room = 0;
  for (const item of items) {
    const row = rows.at(-1);
    if (row && item.width <= room) row.push(item);
    else rows.push([item]);
    room = (row && item.width <= room ? room : width) - item.width;
  }
  return rows;
}
