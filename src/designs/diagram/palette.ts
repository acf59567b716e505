import { KIND_CATEGORIES, type KindCategory } from './kind-categories.js';

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export interface Palette {
  page: string;
  text: string;
  /** Secondary text. */
  quiet: string;
  line: string;
  frame: { fill: string; stroke: string };
  /** For each category the background of its cards, and their border and stripe. */
  categories: Readonly<Record<KindCategory, { fill: string; stroke: string }>>;
}

/** Text has a contrast of 4.5 : 1 to its background, borders and lines one of 3 : 1 (WCAG 2.2, AA). */
export const PALETTES: Readonly<Record<'light' | 'dark', Palette>> = {
  light: {
    page: '#ffffff',
    text: '#1b2430',
    quiet: '#4f5b6b',
    line: '#66717f',
    frame: { fill: '#f5f7fa', stroke: '#808b99' },
    categories: {
      workload: { fill: '#e8f1fd', stroke: '#2267c4' },
      network: { fill: '#e6f6ee', stroke: '#157a4b' },
      storage: { fill: '#fdf3df', stroke: '#9a6200' },
      access: { fill: '#f4ecfb', stroke: '#7d45b8' },
      definition: { fill: '#fdebf1', stroke: '#b8336f' },
      other: { fill: '#eef0f3', stroke: '#5d6878' },
    },
  },
  dark: {
    page: '#11161d',
    text: '#eef2f7',
    quiet: '#b3bdca',
    line: '#9aa6b5',
    frame: { fill: '#181f28', stroke: '#76828f' },
    categories: {
      workload: { fill: '#1a2b45', stroke: '#6ea8fe' },
      network: { fill: '#16332a', stroke: '#53c38d' },
      storage: { fill: '#382d17', stroke: '#e0a83f' },
      access: { fill: '#30244a', stroke: '#bb93f0' },
      definition: { fill: '#3d2231', stroke: '#f087b2' },
      other: { fill: '#272f3a', stroke: '#9aa6b5' },
    },
  },
};

const FIXED_RULES = `text{font-family:sans-serif}
.title{font-size:18px;font-weight:bold}.note,.legend text{font-size:12px}
.heading{font-size:13px;font-weight:bold}.heading .what{font-size:11px;font-weight:normal}
.kind{font-size:11px}.name{font-size:13px}
.card rect,.legend rect{stroke-width:1}.annotation rect{stroke-dasharray:4 3}.card .stripe{stroke:none}
.frame rect{stroke-width:1}
.badge text{font-size:11px}.card .badge rect{stroke-width:.6}
.focus>rect:not(.stripe),.card:target>rect:not(.stripe),.frame:target>rect{stroke-width:3}
.edge path{fill:none;stroke-width:1.3}.parent path{stroke-dasharray:5 4}
.edge text{font-size:11px;text-anchor:middle;stroke-width:4px;stroke-linejoin:round;paint-order:stroke}`;

/** The style sheet of a diagram. */
export function renderStyleSheet(theme: Theme): string {
  if (theme !== 'auto') return `${FIXED_RULES}\n${colourRules(PALETTES[theme])}`;
  return `${FIXED_RULES}\n${colourRules(PALETTES.light)}\n@media (prefers-color-scheme:dark){\n${colourRules(PALETTES.dark)}\n}`;
}

function colourRules({ page, text, quiet, line, frame, categories: sorts }: Palette): string {
  return [
    `.page{fill:${page}}text{fill:${text}}.note,.what,.kind,.edge text,.legend text{fill:${quiet}}`,
    `.edge path{stroke:${line}}.edge polygon{fill:${line}}.edge text{stroke:${page}}`,
    `.frame rect{fill:${frame.fill};stroke:${frame.stroke}}.card .badge rect{fill:${page}}`,
    ...KIND_CATEGORIES.map((sort) => {
      const { fill, stroke } = sorts[sort];
      return `.${sort} rect{fill:${fill};stroke:${stroke}}.${sort} .stripe{fill:${stroke}}`;
    }),
  ].join('\n');
}
