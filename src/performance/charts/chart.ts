import { escapeXml, toDisplayText, truncateToWidth } from '../../designs/diagram/display-text.js';
import type { Theme } from '../../designs/diagram/palette.js';
import { attributesOf, type ChartStyle, renderStyleSheet, type SeriesClass, styleOf } from './chart-style.js';

/** A line over time, or a bar for each label. A null value interrupts the line. */
export interface Series {
  name: string;
  colour: SeriesClass;
  isDashed?: boolean;
  values: readonly [number, number | null][];
  /** The interval of each bar. */
  intervals?: readonly ([number, number] | null)[];
}

/** A value that is drawn across a plot. */
export interface Bound {
  name: string;
  value: number;
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
  bounds?: readonly Bound[];
  /** Times in seconds, from and to, in which the server stalled. */
  stalls?: readonly [number, number][];
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
/** Ends of an axis, times a power of ten. */
const ENDS = [1, 1.2, 1.6, 2, 2.4, 3.2, 4, 5, 6, 8, 10];
/** A bound is drawn up to so many times the highest value. */
const FARTHEST_BOUND = 2;

/** Returns a self-contained SVG document, without scripts and external resources. Names are escaped and truncated. */
export function renderChart({ title, notes, panels }: Chart, theme: Theme): string {
  const top = 48 + notes.length * LINE;
  const height = top + panels.length * PANEL_HEIGHT;
  const heading = shorten(title, WIDTH - 2 * MARGIN, HEADING_FONT);
  const lines = notes.map((note) => shorten(note, WIDTH - 2 * MARGIN));
  const style = styleOf(theme === 'dark' ? 'dark' : 'light');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title desc" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}">`,
    `<title id="title">${heading}</title>`,
    `<desc id="desc">${lines.join('. ')}</desc>`,
    renderStyleSheet(theme),
    `<rect ${attributesOf(style, 'page')} width="${WIDTH}" height="${height}"/>`,
    `<text ${attributesOf(style, 'heading')} x="${MARGIN}" y="32">${heading}</text>`,
    ...lines.map(
      (line, index) => `<text ${attributesOf(style, 'quiet')} x="${MARGIN}" y="${52 + index * LINE}">${line}</text>`,
    ),
    ...panels.map((panel, index) => new PanelDrawing(panel, style).render(top + index * PANEL_HEIGHT)),
    '</svg>',
  ].join('');
}

/** Draws one plot with its axes. */
class PanelDrawing {
  private readonly most: number;
  private readonly last: number;

  constructor(
    private readonly panel: Panel,
    private readonly style: ChartStyle,
  ) {
    const points = panel.series.flatMap(({ values }) => values);
    const ends = panel.series.flatMap(({ intervals = [] }) => intervals.map((interval) => interval?.[1] ?? 0));
    const highest = Math.max(...points.map(([, value]) => value ?? 0), ...ends, 0);
    // A bound far above all values would flatten them.
    const bounds = this.boundsUpTo(highest > 0 ? FARTHEST_BOUND * highest : Infinity).map(({ value }) => value);
    this.most = niceCeiling(Math.max(highest, ...bounds));
    this.last = panel.labels ? panel.labels.length : Math.max(panel.end ?? 1, ...points.map(([at]) => at));
  }

  render(y: number): string {
    const { title, unit, labels, series, stalls = [] } = this.panel;
    return [
      `<g transform="translate(0 ${y + 34})">`,
      `<text ${this.looks('panel')} x="20" y="-16">${escapeXml(title)} (${escapeXml(unit)})</text>`,
      this.renderLegend(),
      `<rect ${this.looks('plot')} x="${PLOT.left}" width="${PLOT.width}" height="${PLOT.height}"/>`,
      ...stalls.map((stall) => this.renderStall(stall)),
      ...this.renderTicks(),
      ...(labels ? this.renderLabels(labels) : this.renderSeconds()),
      ...series.map((each, index) => (labels ? this.renderBars(each, index, series.length) : this.renderLine(each))),
      ...this.boundsUpTo(this.most).map((bound) => this.renderBound(bound)),
      '</g>',
    ].join('');
  }

  private looks(name: string): string {
    return attributesOf(this.style, name);
  }

  private toX(at: number): number {
    return PLOT.left + (Math.min(at, this.last) / this.last) * PLOT.width;
  }

  private toY(value: number): number {
    return PLOT.height - (Math.max(0, value) / this.most) * PLOT.height;
  }

  private boundsUpTo(most: number): readonly Bound[] {
    return (this.panel.bounds ?? []).filter(({ value }) => value <= most);
  }

  private renderTicks(): string[] {
    return Array.from({ length: TICKS + 1 }, (_, index) => {
      const value = (this.most / TICKS) * index;
      const y = tenth(this.toY(value));
      const grid = `<line ${this.looks('grid')} x1="${PLOT.left}" x2="${PLOT.left + PLOT.width}" y1="${y}" y2="${y}"/>`;
      return `${grid}<text ${this.looks('quiet')} text-anchor="end" x="${PLOT.left - 8}" y="${tenth(y + 4)}">${format(value)}</text>`;
    });
  }

  private renderSeconds(): string[] {
    const step = niceCeiling(this.last / 6);
    return Array.from({ length: Math.floor(this.last / step) + 1 }, (_, index) => {
      const x = tenth(this.toX(index * step));
      return `<text ${this.looks('quiet')} text-anchor="middle" x="${x}" y="${PLOT.height + 18}">${format(index * step)} s</text>`;
    });
  }

  private renderLabels(labels: readonly string[]): string[] {
    return labels.map(
      (label, index) =>
        `<text ${this.looks('quiet')} text-anchor="middle" x="${tenth(this.toX(index + 0.5))}" y="${PLOT.height + 18}">${escapeXml(label)}</text>`,
    );
  }

  private renderLegend(): string {
    let x = PLOT.left + PLOT.width;
    return this.panel.series
      .toReversed()
      .map(({ name, colour, isDashed }) => {
        const text = shorten(name, LEGEND_WIDTH);
        x -= text.length * 7 + 30;
        const line = `<line ${this.looks(`line-${colour}`)}${dashes(isDashed)} x1="${x}" x2="${x + 18}" y1="-20" y2="-20"/>`;
        return `${line}<text ${this.looks('text')} x="${x + 23}" y="-16">${text}</text>`;
      })
      .join('');
  }

  private renderStall([from, to]: [number, number]): string {
    const [left, right] = [this.toX(from), this.toX(to)];
    return `<rect ${this.looks('stall')} x="${tenth(left)}" width="${tenth(Math.max(1, right - left))}" height="${PLOT.height}"><title>no response from ${format(from)} s to ${format(to)} s</title></rect>`;
  }

  private renderBound({ name, value }: Bound): string {
    const y = tenth(this.toY(value));
    const line = `<line ${this.looks('bound')} x1="${PLOT.left}" x2="${PLOT.left + PLOT.width}" y1="${y}" y2="${y}"/>`;
    return `<g><title>${escapeXml(name)}</title>${line}</g>`;
  }

  private renderLine({ colour, isDashed, values }: Series): string {
    const looks = `${this.looks(`line-${colour}`)}${dashes(isDashed)}`;
    return toSections(values)
      .map((section) => {
        const points = section.map(([at, value]) => `${tenth(this.toX(at))},${tenth(this.toY(value))}`);
        if (points.length > 1) return `<polyline ${looks} points="${points.join(' ')}"/>`;
        const [x = 0, y = 0] = (points[0] ?? '').split(',');
        return `<circle ${this.looks(`bar-${colour}`)} cx="${x}" cy="${y}" r="2.5"/>`;
      })
      .join('');
  }

  private renderBars({ name, colour, values, intervals = [] }: Series, index: number, count: number): string {
    const width = 0.7 / count;
    return values
      .flatMap(([at, value]) => {
        if (value === null) return [];
        const [left, right] = [this.toX(at + 0.15 + index * width), this.toX(at + 0.15 + (index + 1) * width)];
        const [middle, y] = [tenth((left + right) / 2), this.toY(value)];
        const interval = intervals[at];
        const bar = `<rect ${this.looks(`bar-${colour}`)} x="${tenth(left + 1)}" y="${tenth(y)}" width="${tenth(right - left - 2)}" height="${tenth(PLOT.height - y)}"/>`;
        const top = Math.min(y, interval ? this.toY(interval[1]) : y);
        const text = `<text ${this.looks('text')} text-anchor="middle" x="${middle}" y="${tenth(top - 4)}">${formatShort(value)}</text>`;
        const said = interval ? ` (${format(Math.max(0, interval[0]))} to ${format(interval[1])})` : '';
        return `<g><title>${shorten(name, LEGEND_WIDTH)}: ${format(value)}${said}</title>${bar}${interval ? this.renderWhisker(middle, interval) : ''}${text}</g>`;
      })
      .join('');
  }

  private renderWhisker(x: number, [low, high]: [number, number]): string {
    const [bottom, top] = [tenth(this.toY(low)), tenth(this.toY(high))];
    const ends = [bottom, top].map((y) => `M${tenth(x - 3)} ${y}H${tenth(x + 3)}`).join('');
    return `<path ${this.looks('whisker')} d="M${x} ${bottom}V${top}${ends}"/>`;
  }
}

const dashes = (isDashed = false): string => (isDashed ? ' stroke-dasharray="6 4"' : '');

/** Splits a line at its gaps. */
function toSections(values: Series['values']): [number, number][][] {
  const sections: [number, number][][] = [[]];
  for (const [at, value] of values) {
    if (value === null) sections.push([]);
    else sections.at(-1)?.push([at, value]);
  }
  return sections.filter(({ length }) => length > 0);
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

/** Returns the next larger round number, whose quarters are round as well, for the end of an axis. */
function niceCeiling(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * (ENDS.find((step) => step * power >= value * 1.0001) ?? 10);
}
