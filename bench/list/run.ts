import { PLANNING } from '../../src/core/database/data-source.js';
import { startDatabase, withClient } from '../support/database.js';
import { fillEnvironments } from '../support/environments.js';
import { compare } from '../support/load.js';
import { production, signIn, startServer } from '../support/server.js';

const PRODUCT = import.meta.resolve('../support/product.js');
const PLAIN = import.meta.resolve('./plain.js');

const database = await startDatabase();
try {
  const settings = production(database.url);
  const product = await startServer(PRODUCT, settings);
  const scene = await withClient(database.url, (client) => fillEnvironments(client));
  const logging = await startServer(PRODUCT, { ...settings, LOG_LEVEL: 'info' });
  const plain = await startServer(PLAIN, { ...settings, BENCH_OPTIONS: PLANNING });
  const token = await signIn(product.url);
  const paths = [0, 1, 2, 3, 4].map((page) => `/api/environments?orgID=${scene.organization}&page=${page}&pagesize=20`);
  await compare(
    'List of environments: 20 of 100,000 with the exact total, pages 0 to 4 at random, asked by an admin',
    database,
    [
      { name: 'plain node:http + pg', server: plain, paths },
      { name: 'product', server: product, token, paths },
      { name: 'product, LOG_LEVEL=info', server: logging, token, paths },
    ],
  );
  await Promise.all([plain.stop(), product.stop(), logging.stop()]);
} finally {
  await database.stop();
}
