import { type Diagram } from './diagram.js';
import { truncateToWidth, measureWidth } from './display-text.js';
import { CATEGORY_LABELS, KIND_CATEGORIES, type KindCategory } from './kind-categories.js';
import { FONT } from './text-layout.js';
import { escapeXml } from './display-text.js';

const LINE_HEIGHT = { title: 26, note: 18, legend: 24 };
const SWATCH_SIZE = 12;
const GAP = 18;
const PARENT_SIGN = '<g class="edge parent"><path d="M-4,6 H12"/></g>';

/** The header of a diagram: its title, its notes, and a legend of the colors it uses. `height` is in pixels. */
export function renderHeader(diagram: Diagram, width: number): { svg: string; height: number } {
  const notes = breakIntoLines(
    diagram.notes.map((note) => ({ note, width: measureWidth(`${note} · `, FONT.note) })),
    width,
  );
  const legend = breakIntoLines(buildLegend(diagram), width);
  const top = LINE_HEIGHT.title + notes.length * LINE_HEIGHT.note;
  const svg = [
    `<text class="title" y="${FONT.title}">${escapeXml(truncateToWidth(diagram.title, width, FONT.title))}</text>`,
    ...notes.map((line, row) => {
      const text = truncateToWidth(line.map(({ note }) => note).join(' · '), width, FONT.note);
      const y = LINE_HEIGHT.title + row * LINE_HEIGHT.note + FONT.note;
      return `<text class="note" y="${y}">${escapeXml(text)}</text>`;
    }),
    ...legend.map((line, row) => {
      const y = top + row * LINE_HEIGHT.legend + 8;
      return `<g class="legend" transform="translate(0 ${y})">${renderSwatches(line)}</g>`;
    }),
  ];
  return { svg: svg.join('\n'), height: top + legend.length * LINE_HEIGHT.legend + GAP };
}

interface LegendEntry {
  text: string;
  width: number;
  sign: string;
}

function buildLegend({ nodes, edges }: Diagram): LegendEntry[] {
  const marks = new Map(nodes.flatMap(({ mark }) => (mark ? [[mark.text, mark.colour] as const] : [])));
  const shown = new Set(marks.size > 0 ? [] : nodes.map(({ category: sort }) => sort));
  const entry = (text: string, sign: string): LegendEntry => ({
    text,
    sign,
    width: SWATCH_SIZE + 6 + measureWidth(text, FONT.note) + GAP,
  });
  const swatch = `<rect width="${SWATCH_SIZE}" height="${SWATCH_SIZE}" rx="3"/>`;
  const coloured = (text: string, sort: KindCategory) => entry(text, `<g class="${sort}">${swatch}</g>`);
  const entries = [
    ...KIND_CATEGORIES.filter((sort) => shown.has(sort)).map((sort) => coloured(CATEGORY_LABELS[sort], sort)),
    ...[...marks].map(([text, colour]) => coloured(text, colour)),
  ];
  const hasParents = edges.some(({ isParent }) => isParent);
  return hasParents ? [...entries, entry('is a part of', PARENT_SIGN)] : entries;
}

function renderSwatches(entries: readonly LegendEntry[]): string {
  let x = 0;
  return entries
    .map(({ text, sign, width }) => {
      const svg = `<g transform="translate(${x} 0)">${sign}<text x="${SWATCH_SIZE + 6}" y="10">${escapeXml(text)}</text></g>`;
      x += width;
      return svg;
    })
    .join('');
}

/** As many in one line as fit. */
function breakIntoLines<Item extends { width: number }>(items: readonly Item[], width: number): Item[][] {
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
