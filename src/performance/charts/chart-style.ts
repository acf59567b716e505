import { PALETTES, type Theme } from '../../designs/diagram/palette.js';

/** Series in the order of their colours. */
export const SERIES = ['s1', 's2', 's3', 's4'] as const;
export type SeriesClass = (typeof SERIES)[number];

type Attributes = Record<string, string | number>;

/** What a part of a chart looks like, by its class: presentation attributes, which every viewer of SVG knows. */
export type ChartStyle = Record<string, Attributes>;

const FONT = { 'font-family': 'system-ui, sans-serif' };
const LINE = { fill: 'none', 'stroke-width': 2, 'stroke-linejoin': 'round', 'stroke-linecap': 'round' };

/** Returns the looks of a theme. */
export function styleOf(theme: 'light' | 'dark'): ChartStyle {
  const { page, text, quiet, line, frame, categories } = PALETTES[theme];
  const { workload, network, storage, definition } = categories;
  const colours = [workload.stroke, network.stroke, storage.stroke, definition.stroke];
  const label = { ...FONT, 'font-size': 12, fill: text };
  return {
    page: { fill: page },
    text: label,
    quiet: { ...label, fill: quiet },
    heading: { ...label, 'font-size': 16, 'font-weight': 600 },
    panel: { ...label, 'font-size': 13, 'font-weight': 600 },
    plot: { fill: frame.fill, stroke: frame.stroke },
    grid: { stroke: line, 'stroke-opacity': 0.35 },
    stall: { fill: quiet, 'fill-opacity': 0.25 },
    bound: { stroke: text, 'stroke-width': 1.5, 'stroke-dasharray': '2 3' },
    whisker: { stroke: text, 'stroke-width': 1.5 },
    ...Object.fromEntries(
      SERIES.flatMap((name, index) => [
        [`line-${name}`, { ...LINE, stroke: colours[index] ?? text }],
        [`bar-${name}`, { fill: colours[index] ?? text }],
      ]),
    ),
  };
}

/** Writes the class of an element and its looks. */
export const attributesOf = (style: ChartStyle, name: string): string =>
  `class="${name}" ${Object.entries(style[name] ?? {})
    .map(([attribute, value]) => `${attribute}="${value}"`)
    .join(' ')}`;

/** Returns the style sheet of a theme; `auto` is light, and dark for viewers that have asked for it. */
export function renderStyleSheet(theme: Theme): string {
  if (theme !== 'auto') return '';
  const light = styleOf('light');
  const rules = Object.entries(styleOf('dark')).map(([name, looks]) => {
    const changed = Object.entries(looks).filter(([attribute, value]) => light[name]?.[attribute] !== value);
    return `.${name}{${changed.map(([attribute, value]) => `${attribute}:${value}`).join(';')}}`;
  });
  return `<style>@media (prefers-color-scheme:dark){${rules.join('')}}</style>`;
}
