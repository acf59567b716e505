import { PLANNER_OPTIONS } from '../../src/core/database/data-source.js';
import { dropPolicies, startDatabase, withClient } from '../support/database.js';
import { fillEnvironments } from '../support/environments.js';
import { type Candidate, compare } from '../support/load.js';
import { production, signIn, startServer } from '../support/server.js';

const PRODUCT = import.meta.resolve('../support/product.js');
const PLAIN = import.meta.resolve('./plain.js');

const database = await startDatabase();
const unlocked = await startDatabase();
try {
  const settings = production(database.url);
  const product = await startServer(PRODUCT, settings);
  const paths = pages((await withClient(database.url, (client) => fillEnvironments(client))).organization);
  const logging = await startServer(PRODUCT, { ...settings, LOG_LEVEL: 'info' });
  const plain = await startServer(PLAIN, { ...settings, BENCH_OPTIONS: PLANNER_OPTIONS });
  const token = await signIn(product.url);
  const candidates: Candidate[] = [
    { name: 'plain node:http + pg', server: plain, paths },
    { name: 'product', server: product, token, paths },
    { name: 'product, LOG_LEVEL=info', server: logging, token, paths },
    await withoutPolicies(),
  ];
  await compare(
    'List of environments: 20 of 100,000 with the exact total, pages 0 to 4 at random, asked by an admin',
    database,
    candidates,
  );
  await Promise.all(candidates.map(({ server }) => server.stop()));
} finally {
  await Promise.all([database.stop(), unlocked.stop()]);
}

/** The same in a database of its own whose tables have no policies. */
async function withoutPolicies(): Promise<Candidate> {
  const server = await startServer(PRODUCT, production(unlocked.url));
  const { organization } = await withClient(unlocked.url, (client) => fillEnvironments(client));
  await dropPolicies(unlocked.url);
  const token = await signIn(server.url);
  return { name: 'product without policies', server, database: unlocked, token, paths: pages(organization) };
}

function pages(organization: string): string[] {
  return [0, 1, 2, 3, 4].map((page) => `/api/environments?orgID=${organization}&page=${page}&pagesize=20`);
}
