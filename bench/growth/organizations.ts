import type { BenchDatabase } from '../support/database.js';
import { withClient } from '../support/database.js';
import { type BenchServer, signIn } from '../support/server.js';

const VIEWER_SEES = 10;
const PASSWORD = 'correct horse battery';

/** An organization of so many environments, its owner, and a viewer of a few of them. */
export interface GrownOrganization {
  rows: number;
  id: string;
  owner: string;
  viewer: string;
}

/** Fills the database of a server with one organization for each number of rows; the people are there as tokens. */
export async function growOrganizations(
  database: BenchDatabase,
  server: BenchServer,
  sizes: readonly number[],
): Promise<GrownOrganization[]> {
  const owner = await signIn(server.url);
  const grown: GrownOrganization[] = [];
  for (const rows of sizes) {
    const { id } = await post(server, owner, '/api/identity/orgs', { name: `Of ${rows}` });
    await withClient(database.url, async (client) => {
      // Names in an order that the index has to find its way in, and ids in the order of creation, as the server makes them.
      await client.query(
        `INSERT INTO environment (id, organization_id, name, description, owner, tier, metadata, created_at, updated_at)
         SELECT uuidv7(), $1, 'environment ' || substr(md5(i::text), 1, 12), 'Number ' || i, o.owner,
                (ARRAY['production', 'staging', 'development'])[1 + i % 3], jsonb_build_object('number', i), t, t
           FROM organization o, generate_series(1, $2::int) i, LATERAL (SELECT now() - ($2 - i) * interval '1 minute' AS t) AS at
          WHERE o.id = $1`,
        [id, rows],
      );
    });
    grown.push({ rows, id, owner, viewer: await addViewer(database, server, owner, id) });
  }
  await withClient(database.url, (client) => client.query('VACUUM ANALYZE environment'));
  return grown;
}

async function addViewer(
  database: BenchDatabase,
  server: BenchServer,
  owner: string,
  organization: string,
): Promise<string> {
  const email = `viewer-${organization}@example.org`;
  const users = `/api/identity/orgs/${organization}/users`;
  const user = await post(server, owner, users, { email, role: 'member', password: PASSWORD });
  const workspace = await post(server, owner, '/api/workspaces', { name: 'seen', organization_id: organization });
  await withClient(database.url, async (client) => {
    await client.query('UPDATE app_user SET unconfirmed_by = NULL WHERE id = $1', [user.id]);
    await client.query('INSERT INTO workspace_member (workspace_id, user_id, role) VALUES ($1, $2, 2)', [
      workspace.id,
      user.id,
    ]);
    await client.query(
      `INSERT INTO workspace_environment (id, organization_id, workspace_id, environment_id)
       SELECT gen_random_uuid(), $1, $2, id FROM (SELECT id FROM environment WHERE organization_id = $1 LIMIT ${VIEWER_SEES}) e`,
      [organization, workspace.id],
    );
  });
  return signIn(server.url, { email, password: PASSWORD });
}

async function post(server: BenchServer, token: string, path: string, body: object): Promise<{ id: string }> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`POST ${path} was answered ${response.status}`);
  return (await response.json()) as { id: string };
}
