/** One line of a plot: a value in milliseconds for each number of rows. */
export interface Line {
  name: string;
  points: { rows: number; ms: number }[];
}

const WIDTH = 720;
const HEIGHT = 420;
const LEFT = 64;
const RIGHT = 170;
const TOP = 40;
const BOTTOM = 56;
const COLOURS = ['#0b7285', '#c2255c', '#5f3dc4', '#e67700'];

/** Draws lines over a logarithmic scale of rows and one of milliseconds, as an SVG that is read on light and on dark ground. */
export function drawPlot(title: string, lines: readonly Line[]): string {
  const points = lines.flatMap((line) => line.points);
  const x = scale(
    points.map(({ rows }) => rows),
    LEFT,
    WIDTH - RIGHT,
  );
  const y = scale(
    points.map(({ ms }) => ms),
    HEIGHT - BOTTOM,
    TOP,
  );
  const grid = [
    ...x.ticks.map((rows) => [
      `<line x1="${x.at(rows)}" y1="${TOP}" x2="${x.at(rows)}" y2="${HEIGHT - BOTTOM}"/>`,
      `<text x="${x.at(rows)}" y="${HEIGHT - BOTTOM + 20}" text-anchor="middle">${rows.toLocaleString('en')}</text>`,
    ]),
    ...y.ticks.map((ms) => [
      `<line x1="${LEFT}" y1="${y.at(ms)}" x2="${WIDTH - RIGHT}" y2="${y.at(ms)}"/>`,
      `<text x="${LEFT - 8}" y="${y.at(ms) + 4}" text-anchor="end">${ms}</text>`,
    ]),
  ];
  const drawn = lines.map(({ name, points }, index) => {
    const colour = COLOURS[index % COLOURS.length] ?? '';
    const path = points.map(({ rows, ms }) => `${x.at(rows)},${y.at(ms)}`).join(' ');
    const dots = points.map(({ rows, ms }) => `<circle cx="${x.at(rows)}" cy="${y.at(ms)}" r="3.5" fill="${colour}"/>`);
    const key = TOP + 12 + index * 22;
    return [
      `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      ...dots,
      `<rect x="${WIDTH - RIGHT + 20}" y="${key - 9}" width="14" height="4" fill="${colour}"/>`,
      `<text x="${WIDTH - RIGHT + 42}" y="${key}">${name}</text>`,
    ].join('\n');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">
<style>text { font: 12px sans-serif; fill: #333 } line { stroke: #ccc } @media (prefers-color-scheme: dark) { text { fill: #ddd } line { stroke: #444 } }</style>
<text x="${LEFT}" y="20">${title}</text>
${grid.flat().join('\n')}
<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 14}" text-anchor="middle">rows in the organization</text>
${drawn.join('\n')}
</svg>
`;
}

/** A logarithmic scale from whole powers of ten to whole powers of ten. */
function scale(values: number[], from: number, to: number): { ticks: number[]; at: (value: number) => number } {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(Math.ceil(Math.log10(Math.max(...values))), low + 1);
  const at = (value: number): number =>
    Math.round((from + ((Math.log10(value) - low) / (high - low)) * (to - from)) * 10) / 10;
  return { ticks: Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index)), at };
}
