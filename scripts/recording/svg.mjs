const LINE = 19;
const CHARACTER = 8.43;
const MARGIN = 16;
/** Seconds between the end of one command and the start of the next, and in which a command is typed. */
const PAUSE = 1.2;
const TYPING = 1;

/**
 * A picture in which commands appear one after the other, with what they printed; all of them at once for readers who want no motion.
 * @param runs the commands: `{command, seconds, rows}`, of which `seconds` is how long it took
 */
export function toSvg(runs, { title, columns }) {
  const lines = [];
  let at = 0;
  for (const { command, seconds, rows } of runs) {
    lines.push({
      at,
      pieces: [
        { text: '$ ', style: 'dim' },
        { text: command, style: 'bold' },
      ],
    });
    at += TYPING + Math.min(seconds, 3);
    for (const pieces of rows) lines.push({ at, pieces });
    lines.push({ at, pieces: [] });
    at += PAUSE;
  }
  const width = Math.ceil(columns * CHARACTER + 2 * MARGIN);
  const height = lines.length * LINE + 2 * MARGIN - LINE;
  const drawn = lines.flatMap(({ at: delay, pieces }, index) => {
    const spans = pieces
      .map(({ text, style }) => `<tspan${style && ` class="${style}"`}>${escape(text)}</tspan>`)
      .join('');
    const y = MARGIN + 14 + index * LINE;
    return spans ? [`<text x="${MARGIN}" y="${y}" style="animation-delay:${delay.toFixed(1)}s">${spans}</text>`] : [];
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escape(title)}">
<title>${escape(title)}</title>
<style>${STYLE}</style>
<rect width="100%" height="100%" rx="8"/>
${drawn.join('\n')}
</svg>
`;
}

/** Colours with a contrast of at least 4.5 on their ground, in both schemes. */
const STYLE = `
rect{fill:#f6f8fa;stroke:#d1d9e0}
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#1f2328;animation:show .01s both}
.bold{font-weight:600}.dim{fill:#59636e}.red{fill:#b3202a}.green{fill:#116329}.yellow{fill:#7d4e00}.blue{fill:#0550ae}
@media (prefers-color-scheme:dark){rect{fill:#151b23;stroke:#3d444d}text{fill:#f0f6fc}.dim{fill:#9198a1}.red{fill:#ff8182}.green{fill:#56d364}.yellow{fill:#e3b341}.blue{fill:#79c0ff}}
@keyframes show{from{opacity:0}to{opacity:1}}
@media (prefers-reduced-motion:reduce){text{animation:none}}
`.replaceAll('\n', '');

const escape = (text) =>
  text.replace(/[&<>"]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[character]);
