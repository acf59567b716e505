import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { startDatabase, withClient } from '../support/database.js';
import { type Candidate, compare, median, type Run } from '../support/load.js';
import { type BenchServer, production, signIn, startServer } from '../support/server.js';

/**
 * What the audit costs a write: the same creates on two databases, of which one has its triggers disabled. Entries are sealed concurrently,
 * as ever.
 */
const PRODUCT = import.meta.resolve('../support/product.js');

/** Processor time of a request in milliseconds, of the server and of its database. */
const cost = ({ server, database }: Run): number => server + database;

const database = await startDatabase();
const other = await startDatabase();
const servers: BenchServer[] = [];
try {
  const without = { ...(await prepare('without audit', other.url, disableAudit)), database: other };
  const audited = await prepare('with audit', database.url);
  const runs = await compare('POST /api/environments', database, [without, audited]);
  const [bare = [], whole = []] = [runs.get(without), runs.get(audited)];
  const shares = whole.map((run, round) => cost(run) / cost(bare[round] as Run) - 1);
  const percent = (share: number | undefined): string => `${(100 * (share ?? NaN)).toFixed(0)} %`;
  const [lowest, highest] = [shares.toSorted((a, b) => a - b)[0], shares.toSorted((a, b) => b - a)[0]];
  console.log(
    `\nprocessor time that the audit adds, by the rounds: ${percent(median(shares))} (${percent(lowest)} to ${percent(highest)})`,
  );
  const [{ entries, pending } = { entries: 0, pending: 0 }] = await withClient(database.url, async (client) => {
    const { rows } = await client.query<{ entries: number; pending: number }>(
      `SELECT (SELECT count(*)::int FROM audit_entry) AS entries, (SELECT count(*)::int FROM audit_pending) AS pending`,
    );
    return rows;
  });
  console.log(`\n${entries} entries were sealed, ${pending} rows wait`);
} finally {
  for (const server of servers) await server.stop();
  await database.stop();
  await other.stop();
}

async function prepare(name: string, url: string, then?: (client: Client) => Promise<void>): Promise<Candidate> {
  const server = await startServer(PRODUCT, production(url));
  servers.push(server);
  const token = await signIn(server.url);
  const organization = await withClient(url, async (client) => {
    await then?.(client);
    const { rows } = await client.query<{ id: string }>('SELECT id FROM organization');
    return rows[0]?.id ?? '';
  });
  const next = () => ({
    method: 'POST' as const,
    path: '/api/environments',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: `environment ${randomUUID()}`, organization_id: organization }),
  });
  return { name, server, token, paths: [], next };
}

async function disableAudit(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT tgrelid::regclass::text AS name FROM pg_trigger WHERE tgname = 'audited'`,
  );
  for (const { name } of rows) await client.query(`ALTER TABLE ${name} DISABLE TRIGGER audited`);
}
