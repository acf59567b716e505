import { escapeXml, toDisplayText, truncateToWidth } from '../../designs/diagram/display-text.js';
import type { Theme } from '../../designs/diagram/palette.js';
import { renderStyle, type SeriesClass } from './chart-style.js';

/** A line over time, or a bar for each label. A null value interrupts the line. */
export interface Series {
  name: string;
  colour: SeriesClass;
  isDashed?: boolean;
  values: readonly [number, number | null][];
}

/** One plot with its axes. */
export interface Panel {
  title: string;
  unit: string;
  /** Lines over seconds; or bars, when there are labels, each at the index of its label. */
  labels?: readonly string[];
  /** The minimum end of the time axis in seconds. */
  end?: number;
  series: readonly Series[];
}

export interface Chart {
  title: string;
  /** Lines below the title. */
  notes: readonly string[];
  panels: readonly Panel[];
}

const WIDTH = 760;
const PLOT = { left: 70, width: 660, height: 190 };
const PANEL_HEIGHT = PLOT.height + 84;
const LINE = 18;
const MARGIN = 20;
const FONT = 12;
/** The font size for measuring headings, which are bold and wider. */
const HEADING_FONT = 19;
const LEGEND_WIDTH = 160;
const TICKS = 4;

/** Returns a self-contained SVG document, without scripts and external resources. Names are escaped and truncated. */
export function renderChart({ title, notes, panels }: Chart, theme: Theme): string {
  const top = 48 + notes.length * LINE;
  const height = top + panels.length * PANEL_HEIGHT;
  const said = shorten(title, WIDTH - 2 * MARGIN, HEADING_FONT);
  const lines = notes.map((note) => shorten(note, WIDTH - 2 * MARGIN));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title desc" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}">`,
    `<title id="title">${said}</title>`,
    `<desc id="desc">${lines.join('. ')}</desc>`,
    `<style>${renderStyle(theme)}</style>`,
    `<rect class="page" width="${WIDTH}" height="${height}"/>`,
    `<text class="heading" x="${MARGIN}" y="32">${said}</text>`,
    ...lines.map((line, index) => `<text class="quiet" x="${MARGIN}" y="${52 + index * LINE}">${line}</text>`),
    ...panels.map((panel, index) => renderPanel(panel, top + index * PANEL_HEIGHT)),
    '</svg>',
  ].join('');
}

function renderPanel({ title, unit, labels, end = 1, series }: Panel, y: number): string {
  const points = series.flatMap(({ values }) => values);
  const most = niceCeiling(Math.max(...points.map(([, value]) => value ?? 0), 0));
  const last = labels ? labels.length : Math.max(end, ...points.map(([at]) => at));
  const toX = (at: number): number => PLOT.left + (at / last) * PLOT.width;
  const toY = (value: number): number => PLOT.height - (value / most) * PLOT.height;
  return [
    `<g transform="translate(0 ${y + 34})">`,
    `<text class="panel" x="20" y="-16">${escapeXml(title)} (${escapeXml(unit)})</text>`,
    renderLegend(series),
    `<rect class="plot" x="${PLOT.left}" width="${PLOT.width}" height="${PLOT.height}"/>`,
    ...renderTicks(most, toY),
    ...(labels ? renderLabels(labels, toX) : renderSeconds(last, toX)),
    ...series.map((each, index) =>
      labels ? renderBars(each, index, series.length, toX, toY) : renderLine(each, toX, toY),
    ),
    '</g>',
  ].join('');
}

function renderTicks(most: number, toY: (value: number) => number): string[] {
  return Array.from({ length: TICKS + 1 }, (_, index) => {
    const value = (most / TICKS) * index;
    const y = tenth(toY(value));
    const grid = `<line class="grid" x1="${PLOT.left}" x2="${PLOT.left + PLOT.width}" y1="${y}" y2="${y}"/>`;
    return `${grid}<text class="quiet" text-anchor="end" x="${PLOT.left - 8}" y="${tenth(toY(value) + 4)}">${format(value)}</text>`;
  });
}

function renderSeconds(last: number, toX: (at: number) => number): string[] {
  const step = niceCeiling(last / 6);
  const count = Math.floor(last / step);
  return Array.from({ length: count + 1 }, (_, index) => {
    const x = tenth(toX(index * step));
    return `<text class="quiet" text-anchor="middle" x="${x}" y="${PLOT.height + 18}">${format(index * step)} s</text>`;
  });
}

const renderLabels = (labels: readonly string[], toX: (at: number) => number): string[] =>
  labels.map(
    (label, index) =>
      `<text class="quiet" text-anchor="middle" x="${tenth(toX(index + 0.5))}" y="${PLOT.height + 18}">${escapeXml(label)}</text>`,
  );

function renderLegend(series: readonly Series[]): string {
  let x = PLOT.left + PLOT.width;
  return series
    .toReversed()
    .map(({ name, colour, isDashed }) => {
      const text = shorten(name, LEGEND_WIDTH);
      x -= text.length * 7 + 30;
      const line = `<line class="series ${colour}${isDashed ? ' second' : ''}" x1="${x}" x2="${x + 18}" y1="-20" y2="-20"/>`;
      return `${line}<text x="${x + 23}" y="-16">${text}</text>`;
    })
    .join('');
}

function renderLine(
  { colour, isDashed, values }: Series,
  toX: (at: number) => number,
  toY: (value: number) => number,
): string {
  return toSections(values)
    .map((section) => {
      const points = section.map(([at, value]) => `${tenth(toX(at))},${tenth(toY(value))}`);
      // A single point is a thick line to itself, whose ends are round.
      if (points.length === 1) return `<polyline class="series point ${colour}" points="${points[0]} ${points[0]}"/>`;
      return `<polyline class="series ${colour}${isDashed ? ' second' : ''}" points="${points.join(' ')}"/>`;
    })
    .join('');
}

/** Splits a line at its gaps. */
function toSections(values: Series['values']): [number, number][][] {
  const sections: [number, number][][] = [[]];
  for (const [at, value] of values) {
    if (value === null) sections.push([]);
    else sections.at(-1)?.push([at, value]);
  }
  return sections.filter(({ length }) => length > 0);
}

function renderBars(
  { name, colour, values }: Series,
  index: number,
  count: number,
  toX: (at: number) => number,
  toY: (value: number) => number,
): string {
  const width = 0.7 / count;
  return values
    .flatMap(([at, value]) => {
      if (value === null) return [];
      const [left, right] = [toX(at + 0.15 + index * width), toX(at + 0.15 + (index + 1) * width)];
      const y = toY(value);
      const bar = `<rect class="bar ${colour}" x="${tenth(left + 1)}" y="${tenth(y)}" width="${tenth(right - left - 2)}" height="${tenth(PLOT.height - y)}"/>`;
      const text = `<text text-anchor="middle" x="${tenth((left + right) / 2)}" y="${tenth(y - 4)}">${formatShort(value)}</text>`;
      return `<g><title>${shorten(name, LEGEND_WIDTH)}: ${format(value)}</title>${bar}${text}</g>`;
    })
    .join('');
}

const tenth = (value: number): number => Math.round(value * 10) / 10;
/** Three digits, and four from a thousand on, so that quarters of an axis are exact. */
const format = (value: number): string => String(Number(value.toPrecision(value < 1_000 ? 3 : 4)));
/** For the width of a bar: three digits, and four up to ten thousand. */
const formatShort = (value: number): string => {
  if (value >= 1e4) return `${Number((value / 1_000).toPrecision(3))}k`;
  return String(Number(value < 1 ? value.toFixed(3) : value.toPrecision(value < 1_000 ? 3 : 4)));
};
/** Escapes user text as a single line of XML, truncated to a width. */
const shorten = (text: string, width: number, font = FONT): string =>
  escapeXml(truncateToWidth(toDisplayText(text), width, font));

/** Returns the next larger number of the form 1, 2, 2.5 or 5 times a power of ten, for the end of an axis. */
function niceCeiling(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 2.5, 5, 10].find((step) => step * power >= value * 1.0001) ?? 10);
}
