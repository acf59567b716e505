import { PALETTES, type Theme } from '../../designs/diagram/palette.js';

/** The colours of a chart: its page and text, and one for each series. */
const COLOURS = {
  light: { ...PALETTES.light, series: PALETTES.light.categories },
  dark: { ...PALETTES.dark, series: PALETTES.dark.categories },
};

/** Series in the order of their colours. */
export const SERIES = ['s1', 's2', 's3', 's4'] as const;
export type SeriesClass = (typeof SERIES)[number];

function coloursOf(theme: 'light' | 'dark'): string {
  const { page, text, quiet, line, frame, series } = COLOURS[theme];
  const [s1, s2, s3, s4] = [series.workload, series.network, series.storage, series.definition];
  const values = { page, text, quiet, line, grid: frame.fill, frame: frame.stroke };
  const named = { ...values, s1: s1.stroke, s2: s2.stroke, s3: s3.stroke, s4: s4.stroke };
  return Object.entries(named)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';');
}

/** Returns a style sheet; `auto` follows the colour scheme of the viewer. */
export function renderStyle(theme: Theme): string {
  const own = theme === 'dark' ? 'dark' : 'light';
  return [
    `svg{${coloursOf(own)}}`,
    ...(theme === 'auto' ? [`@media (prefers-color-scheme:dark){svg{${coloursOf('dark')}}}`] : []),
    'text{font:12px system-ui,sans-serif;fill:var(--text)}.quiet{fill:var(--quiet)}.heading{font-size:16px;font-weight:600}',
    '.panel{font-size:13px;font-weight:600}.page{fill:var(--page)}.plot{fill:var(--grid);stroke:var(--frame)}',
    '.grid{stroke:var(--line);stroke-opacity:.35}.series{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}.series.point{stroke-width:5}',
    ...SERIES.map((name) => `.${name}{stroke:var(--${name})}.bar.${name},.key.${name}{fill:var(--${name})}`),
    '.second{stroke-dasharray:6 4}',
  ].join('');
}
