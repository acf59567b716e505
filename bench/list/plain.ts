import { createServer } from 'node:http';
import pg from 'pg';
import { serve } from '../support/server.js';

/** The same page and the same exact total, without rights, framework, checks, headers or ETag: what the two statements cost. */
const COLUMNS =
  'id, organization_id, name, description, owner, status, tier, metadata, created_at, updated_at, deleted_at';
const ROWS = `FROM environment WHERE organization_id = $1 AND deleted_at IS NULL`;
const PAGE = `SELECT ${COLUMNS} ${ROWS} ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3`;

// It signs in as the owner of the tables, whom no policy binds, with the planner's settings of the product.
const pool = new pg.Pool({
  connectionString: process.env['DATABASE_URL'],
  max: 10,
  options: process.env['BENCH_OPTIONS'],
});

async function list(query: URLSearchParams): Promise<string> {
  const organization = query.get('orgID');
  const page = Number(query.get('page') ?? 0);
  const size = Number(query.get('pagesize') ?? 20);
  const [records, count] = await Promise.all([
    pool.query(PAGE, [organization, size, page * size]),
    pool.query<{ count: string }>(`SELECT count(*) ${ROWS}`, [organization]),
  ]);
  const total_count = Number(count.rows[0]?.count);
  return JSON.stringify({ page, page_size: size, total_count, environments: records.rows });
}

const server = createServer((request, response) => {
  list(new URL(request.url ?? '/', 'http://localhost').searchParams).then(
    (body) => response.setHeader('content-type', 'application/json').end(body),
    () => response.writeHead(500).end(),
  );
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number };
  serve(`http://127.0.0.1:${port}`, () => pool.end());
});
