import type { Client } from 'pg';
import { visibleSql } from '../../src/core/authorization/access.service.js';
import { PLANNER_OPTIONS, SEARCH_PATH, SERVICE_ROLE } from '../../src/core/database/data-source.js';
import { startDatabase, withClient } from '../support/database.js';
import { fillEnvironments, type Scene } from '../support/environments.js';
import { load, median, table } from '../support/load.js';
import { type BenchServer, production, signIn, startServer } from '../support/server.js';

/** The statements that calls cost, and how PostgreSQL goes about those of the list; `-- --plans` prints the plans. */
const PRODUCT = import.meta.resolve('../support/product.js');
const TIMES = 15;

const database = await startDatabase();
try {
  const product = await startServer(PRODUCT, { ...production(database.url), BENCH_STATEMENTS: 'on' });
  const scene = await withClient(database.url, (client) => fillEnvironments(client, [10, 10_000]));
  await countStatements(product, scene);
  await product.stop();
  const service = `-c role=${SERVICE_ROLE} ${SEARCH_PATH} ${PLANNER_OPTIONS}`;
  await withClient(database.url, (client) => explainLists(client, scene), service);
} finally {
  await database.stop();
}

async function countStatements(product: BenchServer, { organization }: Scene): Promise<void> {
  const token = await signIn(product.url);
  let id = '';
  const call = async (method: string, path: string, body?: object): Promise<void> => {
    const response = await fetch(product.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body ? JSON.stringify(body) : null,
    });
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}`);
    const answer = (await response.json()) as { id?: string };
    id = answer.id ?? id;
  };
  const calls: [string, () => Promise<void>][] = [
    ['list, naming the organization', () => call('GET', `/api/environments?orgID=${organization}`)],
    ['list', () => call('GET', '/api/environments')],
    ['create', () => call('POST', '/api/environments', { name: 'one more', organization_id: organization })],
    ['get', () => call('GET', `/api/environments/${id}`)],
    ['update', () => call('PUT', `/api/environments/${id}`, { description: 'changed' })],
    ['delete', () => call('DELETE', `/api/environments/${id}`)],
  ];
  // Twice, because the first calls also set the user of new connections.
  for (const [, work] of calls) await work();
  await product.ask('statements');
  const rows: string[][] = [];
  for (const [name, work] of calls) {
    await work();
    const statements = (await product.ask('statements')) as string[];
    const frames = statements.filter((text) => /^(START TRANSACTION|BEGIN|COMMIT)/.test(text)).length;
    const settings = statements.filter((text) => text.includes('set_config')).length;
    rows.push([name, String(statements.length - frames - settings), String(frames), String(settings)]);
    if (process.argv.includes('--plans'))
      console.log(name, statements.map((text) => `\n  ${text.slice(0, 160)}`).join(''));
  }
  console.log('\nStatements of a call of the administrator\n');
  console.log(table(['', 'statements', 'begin and commit', 'who asks'], rows));
}

async function explainLists(client: Client, { organization, admin, viewers }: Scene): Promise<void> {
  const last = 'ORDER BY e.created_at DESC, e.id DESC LIMIT 20';
  const search = `AND e.name ILIKE '%abcd%'`;
  const asking = (user: string) => client.query(`SELECT set_config('armature.user', $1, false)`, [user]);
  await asking('system');
  const { rows: known } = await client.query<{ id: string }>('SELECT id FROM environment OFFSET 5000 LIMIT 1');
  const askers = { admin, ...Object.fromEntries(Object.entries(viewers).map(([n, id]) => [`viewer of ${n}`, id])) };
  const figures: string[][] = [];
  for (const [asker, id] of Object.entries(askers)) {
    await asking(id);
    // As `onlyVisibleIn` asks, which knows by now who administers the organization.
    const granted = `e.id = ANY (ARRAY(SELECT granted_resources('${id}', 'environment')))`;
    const rows = `FROM environment e WHERE e.organization_id = $1 AND e.deleted_at IS NULL AND ${id === admin ? 'true' : granted}`;
    const found = await client.query<{ ids: string | null }>(
      `SELECT CAST(search_environment($1, '%abcd%', 10000) AS text) AS ids`,
      [organization],
    );
    const searched = `${search} AND e.id = ANY ('${found.rows[0]?.ids ?? '{}'}'::uuid[])`;
    const shapes: Record<string, string> = {
      page: `SELECT e.* ${rows} ${last} OFFSET 40`,
      count: `SELECT count(*) ${rows}`,
      'candidates of a search': `SELECT search_environment($1, '%abcd%', 10000)`,
      'page of a search': `SELECT e.* ${rows} ${searched} ${last}`,
      'count of a search': `SELECT count(*) ${rows} ${searched}`,
      'one by id': `SELECT e.* FROM environment e WHERE ${visibleSql('e', 'environment', `'${id}'`)}
        AND e.organization_id = $1 AND e.deleted_at IS NULL AND e.id = '${known[0]?.id}'`,
    };
    for (const [shape, text] of Object.entries(shapes))
      figures.push([`${shape}, ${asker}`, ...(await explain(client, shape, text, [organization]))]);
  }
  console.log(
    `\nStatements under the policies, as the service asks them; median of ${TIMES}, load average ${load()}\n`,
  );
  console.log(table(['', 'plan ms', 'run ms', 'buffers', 'way'], figures));
}

async function explain(client: Client, shape: string, text: string, values: string[]): Promise<string[]> {
  const planning: number[] = [];
  const running: number[] = [];
  let plan: string[] = [];
  for (let time = 0; time < TIMES; time++) {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN (ANALYZE, BUFFERS, TIMING off) ${text}`,
      values,
    );
    plan = rows.map((row) => row['QUERY PLAN']);
    planning.push(milliseconds(plan, 'Planning Time'));
    running.push(milliseconds(plan, 'Execution Time'));
  }
  if (process.argv.includes('--plans')) console.log(`\n${shape}\n${plan.join('\n')}`);
  const buffers = /hit=(\d+)/.exec(plan.find((line) => line.includes('Buffers')) ?? '')?.[1] ?? '0';
  const way = plan.find((line) => /Scan.* on environment/.test(line)) ?? '';
  return [median(planning).toFixed(2), median(running).toFixed(2), buffers, way.trim().replace(/^-> +|\s+\(.*$/g, '')];
}

function milliseconds(plan: string[], name: string): number {
  return Number(/: ([\d.]+) ms/.exec(plan.find((line) => line.startsWith(name)) ?? '')?.[1]);
}
