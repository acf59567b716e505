import { readFileSync, writeFileSync } from 'node:fs';
import { PLANNER_OPTIONS } from '../../src/core/database/data-source.js';
import { startDatabase } from '../support/database.js';
import { type Candidate, load, middle, runCalls, table } from '../support/load.js';
import type { CostlyFunction } from '../support/profile.js';
import { ADMIN, production, signIn, startServer, untilIdle } from '../support/server.js';
import { fillScene } from './scene.js';
import { listWorks } from './works.js';

/**
 * Everyday work beside a plain server, on one database; arguments choose the works whose names contain one of them. BENCH_FUNCTIONS names so many
 * of the functions that cost most, by a profile of further calls.
 */
const PRODUCT = import.meta.resolve('../support/product.js');
const PLAIN = import.meta.resolve('./server.js');
const BARE = import.meta.resolve('../guard/bare.js');
const CALLS = Number(process.env['BENCH_CALLS'] ?? 5_000);
const FUNCTIONS = Number(process.env['BENCH_FUNCTIONS'] ?? 0);
const REPORT = 'docs/benchmarks.md';
const MARKS = ['<!-- bench -->', '<!-- /bench -->'] as const;
const HEAD = [
  'work',
  'ours',
  'baseline',
  'ratio',
  'goal',
  'met',
  'CPU ms',
  'baseline CPU ms',
  'CPU ratio',
  'p99 ms',
  'baseline p99 ms',
];

const chosen = process.argv.slice(2);
const database = await startDatabase();
const rows: string[][] = [];
const before = load();
try {
  const settings = production(database.url, { LOG_LEVEL: 'info' });
  const product = await startServer(PRODUCT, settings);
  const scene = await fillScene(database.url);
  const plain = await startServer(PLAIN, { ...settings, BENCH_OPTIONS: PLANNER_OPTIONS });
  const bare = await startServer(BARE, { NODE_ENV: 'production' });
  const baselines = { plain, bare, product };
  await untilIdle(product);
  const admin = await signIn(product.url);
  const viewer = await signIn(product.url, { ...ADMIN, email: scene.viewerEmail });
  for (const work of await listWorks(scene, product.url, admin)) {
    if (chosen.length > 0 && !chosen.some((part) => work.name.includes(part))) continue;
    const candidates: Candidate[] = [
      {
        name: `${work.name}, baseline`,
        server: baselines[work.baseline ?? 'plain'],
        paths: [],
        next: work.plain,
        connections: work.callers,
        ...(work.baseline === 'product' ? { token: admin } : {}),
      },
      {
        name: `${work.name}, ours`,
        server: product,
        paths: [],
        next: work.ours,
        connections: work.callers,
        ...(work.isOpen ? {} : { token: work.asViewer ? viewer : admin }),
      },
    ];
    const [theirs, ours] = [...(await runCalls(database, candidates, CALLS)).values()].map(middle);
    if (!theirs || !ours) continue;
    const ratio = ours.rps / theirs.rps;
    const times = [ours.server, theirs.server, theirs.server / ours.server, ours.p99, theirs.p99].map((figure) =>
      figure.toFixed(2),
    );
    const figures = [String(Math.round(ours.rps)), String(Math.round(theirs.rps)), ratio.toFixed(2)];
    const { goal, p99Goal } = work;
    const [wanted, isMet] = p99Goal
      ? [`p99 ${p99Goal} ms`, ours.p99 <= p99Goal]
      : [goal.toFixed(2), Number(ratio.toFixed(2)) >= goal];
    rows.push([work.name, ...figures, wanted, isMet ? 'yes' : 'no', ...times]);
    console.error(rows.at(-1)?.join(' | '));
    if (FUNCTIONS > 0) console.log(await profile(candidates.slice(1)));
  }
  await Promise.all([product.stop(), plain.stop(), bare.stop()]);

  async function profile(ours: Candidate[]): Promise<string> {
    await product.ask('startProfile');
    await runCalls(database, ours, CALLS);
    const costly = (await product.ask('stopProfile')) as CostlyFunction[];
    return costly
      .slice(0, FUNCTIONS)
      .map(({ name, percent }) => `${percent.toFixed(1)} ${name}`)
      .join('\n');
  }
} finally {
  await database.stop();
}
const condition = `32 callers, LOG_LEVEL=info, 3 interleaved runs of ${CALLS} calls each; load average ${before} before, ${load()} after`;
console.log(`\n${table(HEAD, rows)}\n\n${condition}`);
if (chosen.length === 0) report();

/** Writes the table into the document, between its marks. */
function report(): void {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  const text = [line(HEAD), line(HEAD.map(() => '---')), ...rows.map(line), '', `${condition}.`].join('\n');
  const [start, end] = MARKS;
  const document = readFileSync(REPORT, 'utf8');
  const [head, rest] = [document.split(start)[0] ?? '', document.split(end)[1] ?? ''];
  writeFileSync(REPORT, `${head}${start}\n\n${text}\n\n${end}${rest}`);
}
