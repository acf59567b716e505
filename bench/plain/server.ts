import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import pg from 'pg';
import { serve } from '../support/server.js';

/**
 * The same records over `node:http` and `pg` with prepared statements: no rights, no framework, no checks, no ETag. It signs in as the
 * owner of the tables, whom no policy binds, with the planner's settings of the product. A total is known unless the call asks to count.
 */
const pool = new pg.Pool({
  connectionString: process.env['DATABASE_URL'],
  max: 10,
  options: process.env['BENCH_OPTIONS'],
});

const COLUMNS =
  'id, organization_id, name, description, owner, status, tier, metadata, created_at, updated_at, deleted_at';
const LISTED = 'FROM environment WHERE organization_id = $1 AND deleted_at IS NULL';
const NEWEST = 'ORDER BY created_at DESC, id DESC LIMIT $2';

const STATEMENTS = {
  record: `SELECT ${COLUMNS} FROM environment WHERE id = $1 AND deleted_at IS NULL`,
  page: `SELECT ${COLUMNS} ${LISTED} ${NEWEST} OFFSET $3`,
  count: `SELECT count(*)::int AS count ${LISTED}`,
  after: `SELECT ${COLUMNS} ${LISTED} AND (created_at, id) < ($3, $4) ${NEWEST}`,
  visible: `SELECT ${COLUMNS} FROM environment WHERE deleted_at IS NULL AND organization_id = $1 AND id IN (
    SELECT a.environment_id FROM workspace_environment a JOIN workspace_member m ON m.workspace_id = a.workspace_id
     WHERE m.user_id = $4 AND a.deleted_at IS NULL) ${NEWEST} OFFSET $3`,
  user: 'SELECT id, email, first_name, last_name, installation_admin, default_organization_id FROM app_user WHERE id = $1',
  organizations: `SELECT o.id, o.name, m.role FROM organization_member m JOIN organization o ON o.id = m.organization_id
    WHERE m.user_id = $1 AND o.deleted_at IS NULL ORDER BY o.name, o.id`,
  designs: `SELECT id, organization_id, workspace_id, name, user_id, visibility, source_type, version, location, catalog_data, unsupported,
      deployment_count, clone_count, download_count, created_at, updated_at, deleted_at
    FROM design WHERE organization_id = $1 AND deleted_at IS NULL ${NEWEST} OFFSET $3`,
  insert: `INSERT INTO environment (id, organization_id, name, owner) VALUES ($1, $2, $3, $4) RETURNING ${COLUMNS}`,
  update: `UPDATE environment SET description = $2, updated_at = now(), revision = revision + 1 WHERE id = $1 RETURNING ${COLUMNS}`,
  delete: `UPDATE environment SET deleted_at = now(), updated_at = now(), revision = revision + 1 WHERE id = $1 RETURNING ${COLUMNS}`,
  event: `WITH counted AS (
      INSERT INTO event_counter AS counter (feed, last) VALUES ($2, 1)
      ON CONFLICT (feed) DO UPDATE SET last = counter.last + 1 RETURNING last)
    INSERT INTO event (id, sequence, organization_id, user_id, acted_upon, category, action, severity, description)
    SELECT $1, last, $2, $3, $4, 'environment', $5, 'informational', $6 FROM counted`,
} as const;
type Name = keyof typeof STATEMENTS;

async function ask(name: Name, values: unknown[], client: pg.Pool | pg.PoolClient = pool): Promise<object[]> {
  return (await client.query<object>({ name, text: STATEMENTS[name], values })).rows;
}

/** A change and its event in one transaction. */
async function change(name: Name, values: unknown[], userId: string): Promise<string> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const [record] = (await ask(name, values, client)) as { id: string; organization_id: string }[];
    if (!record) throw new Error(`no record for ${name}`);
    await ask('event', [randomUUID(), record.organization_id, userId, record.id, name, `${name} a record`], client);
    await client.query('COMMIT');
    return JSON.stringify(record);
  } finally {
    client.release();
  }
}

const KNOWN_TOTAL = 100_000;

async function list(query: URLSearchParams): Promise<string> {
  const [organization, page, size] = [
    query.get('orgID'),
    Number(query.get('page') ?? 0),
    Number(query.get('pagesize') ?? 20),
  ];
  const viewer = query.get('viewer');
  const [environments, counted] = await Promise.all([
    viewer ? ask('visible', [organization, size, page * size, viewer]) : ask('page', [organization, size, page * size]),
    query.has('count') ? ask('count', [organization]) : undefined,
  ]);
  const total_count = counted ? (counted[0] as { count: number }).count : KNOWN_TOTAL;
  return JSON.stringify({ page, page_size: size, total_count, environments });
}

/** A step of a walk: from the place that the cursor names. */
async function walk(query: URLSearchParams): Promise<string> {
  const [at, id] = (query.get('cursor') ?? '').split(',');
  const environments = await ask('after', [query.get('orgID'), 20, at, id]);
  const last = environments.at(-1) as { created_at: Date; id: string } | undefined;
  const next_cursor = last ? `${last.created_at.toISOString()},${last.id}` : null;
  return JSON.stringify({ page: 0, page_size: 20, total_count: KNOWN_TOTAL, environments, next_cursor });
}

/** The driver's default: a search has no name, for one plan does not fit all words. */
async function search(query: URLSearchParams): Promise<string> {
  const { rows } = await pool.query<object>(`SELECT ${COLUMNS} ${LISTED} AND name ILIKE $4 ${NEWEST} OFFSET $3`, [
    query.get('orgID'),
    20,
    0,
    `%${query.get('search') ?? ''}%`,
  ]);
  const count = await pool.query<{ count: number }>(`SELECT count(*)::int AS count ${LISTED} AND name ILIKE $2`, [
    query.get('orgID'),
    `%${query.get('search') ?? ''}%`,
  ]);
  return JSON.stringify({ page: 0, page_size: 20, total_count: count.rows[0]?.count, environments: rows });
}

async function designs(query: URLSearchParams): Promise<string> {
  const [page, size] = [Number(query.get('page') ?? 0), Number(query.get('pagesize') ?? 20)];
  const patterns = await ask('designs', [query.get('orgID'), size, page * size]);
  return JSON.stringify({ page, page_size: size, total_count: KNOWN_TOTAL, patterns });
}

async function profile(userId: string | null): Promise<string> {
  const [[user], organizations] = await Promise.all([ask('user', [userId]), ask('organizations', [userId])]);
  return JSON.stringify({ ...user, organizations });
}

async function answer(request: IncomingMessage): Promise<string> {
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname === '/hello') return JSON.stringify({ hello: 'world' });
  if (pathname === '/profile') return profile(query.get('user'));
  if (pathname === '/designs') return designs(query);
  const id = pathname.split('/')[2];
  const user = query.get('user') ?? '';
  switch (request.method) {
    case 'POST': {
      const { name, organization_id } = (await body(request)) as Record<string, string>;
      return change('insert', [randomUUID(), organization_id, name, user], user);
    }
    case 'PUT':
      return change('update', [id, ((await body(request)) as Record<string, string>)['description']], user);
    case 'DELETE':
      return change('delete', [id], user);
    default:
      return read(id, query);
  }
}

async function read(id: string | undefined, query: URLSearchParams): Promise<string> {
  if (id) return JSON.stringify((await ask('record', [id]))[0]);
  if (query.has('search')) return search(query);
  return query.has('cursor') ? walk(query) : list(query);
}

async function body(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString());
}

const server = createServer((request, response) => {
  answer(request).then(
    (text) => response.setHeader('content-type', 'application/json').end(text),
    (error: unknown) => {
      console.error(error);
      response.writeHead(500).end();
    },
  );
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number };
  serve(`http://127.0.0.1:${port}`, () => pool.end());
});
