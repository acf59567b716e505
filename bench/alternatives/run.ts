import { randomUUID } from 'node:crypto';
import type { Request } from 'autocannon';
import { PLANNER_OPTIONS } from '../../src/core/database/data-source.js';
import { startDatabase } from '../support/database.js';
import { type Candidate, load, middle, runCalls, table } from '../support/load.js';
import { production, signIn, startServer, untilIdle } from '../support/server.js';
import { fillScene } from '../plain/scene.js';
import { listWorks, type Work } from '../plain/works.js';
import { installAlternatives } from './install.js';

/**
 * Everyday work of the product beside what users would have otherwise, on one database: a plain server, an application as the
 * documentation of NestJS builds it, and Directus, which are installed for it.
 */
const PRODUCT = import.meta.resolve('../support/product.js');
const PLAIN = import.meta.resolve('../plain/server.js');
const CALLS = Number(process.env['BENCH_CALLS'] ?? 1_500);

const COMPARED = [
  'record by id',
  'list of 20 of 1,000',
  'list of 20 of 100,000',
  'search in 100,000, 8 callers',
  'create, with its event',
  'update, with its event',
  'delete, with its event',
];

const alternatives = installAlternatives(['nest', 'directus']);
const database = await startDatabase();
const rows: string[][] = [];
const before = load();
try {
  const settings = production(database.url, { LOG_LEVEL: 'info' });
  const product = await startServer(PRODUCT, settings);
  const scene = await fillScene(database.url);
  const [plain, usual, directus] = await Promise.all([
    startServer(PLAIN, { ...settings, BENCH_OPTIONS: PLANNER_OPTIONS }),
    startServer(alternatives.find('nest'), { ...settings, PGOPTIONS: PLANNER_OPTIONS }),
    startServer(alternatives.find('directus'), { ...settings, PGOPTIONS: PLANNER_OPTIONS }),
  ]);
  await untilIdle(product);
  await untilIdle(directus);
  const admin = await signIn(product.url);
  const member = String(await usual.ask(scene.admin));
  const apiToken = String(await directus.ask('token'));
  for (const work of await listWorks(scene, product.url, admin)) {
    if (!COMPARED.includes(work.name)) continue;
    const candidate = (name: string, fields: Omit<Candidate, 'name' | 'paths'>): Candidate => ({
      ...{ name: `${work.name}, ${name}`, paths: [], connections: work.callers, ...fields },
    });
    const runs = await runCalls(
      database,
      [
        candidate('ours', { server: product, next: work.ours, token: admin }),
        candidate('plain', { server: plain, next: work.plain }),
        candidate('usual Nest', { server: usual, next: usualCall(work), token: member }),
        candidate('Directus', { server: directus, next: directusCall(work, scene.admin), token: apiToken }),
      ],
      CALLS,
    );
    const figures = [...runs.values()].map(middle);
    rows.push([
      work.name,
      ...figures.map(({ rps }) => String(Math.round(rps))),
      ...figures.map(({ server, database: asked }) => (server + asked).toFixed(2)),
    ]);
    console.error(rows.at(-1)?.join(' | '));
  }
  await Promise.all([product.stop(), plain.stop(), usual.stop(), directus.stop()]);
} finally {
  await database.stop();
  alternatives.remove();
}
const names = ['ours', 'plain', 'usual Nest', 'Directus'];
console.log(`\n${table(['work', ...names, ...names.map((name) => `CPU ms, ${name}`)], rows)}\n`);
console.log(
  `requests/s; processor time of server and database for a call. 32 callers, 3 interleaved runs of ${CALLS} calls each; load average ${before} before, ${load()} after`,
);

/** The call of the plain server: it has the same paths, but for the user, whom the token names. */
function usualCall({ plain }: Work): () => Partial<Request> {
  return () => {
    const call = plain();
    const url = new URL(call.path ?? '/', 'http://localhost');
    url.searchParams.delete('user');
    return { ...call, path: url.pathname + url.search };
  };
}

/** The same in the interface of Directus, which answers any table of its database. */
function directusCall({ plain }: Work, owner: string): () => Partial<Request> {
  return () => {
    const { method = 'GET', path = '/', body, headers } = plain();
    const { pathname, searchParams: query } = new URL(path, 'http://localhost');
    const id = pathname.split('/')[2];
    const fields = typeof body === 'string' ? (JSON.parse(body) as Record<string, string>) : {};
    if (method === 'POST')
      return {
        method,
        headers,
        path: '/items/environment',
        body: JSON.stringify({ id: randomUUID(), owner, ...fields }),
      };
    if (method === 'PUT') return { method: 'PATCH', headers, path: `/items/environment/${id ?? ''}`, body };
    if (method === 'DELETE') return { method, path: `/items/environment/${id ?? ''}` };
    if (id) return { path: `/items/environment/${id}` };
    const filter = {
      ...{ organization_id: { _eq: query.get('orgID') }, deleted_at: { _null: true } },
      ...(query.has('search') && { name: { _icontains: query.get('search') } }),
    };
    const page = Number(query.get('page') ?? 0) + 1;
    const wanted = new URLSearchParams({
      ...{ filter: JSON.stringify(filter), sort: '-created_at', limit: '20', page: String(page), meta: 'filter_count' },
    });
    return { path: `/items/environment?${wanted.toString()}` };
  };
}
