import type { Client } from 'pg';
import { withClient } from '../support/database.js';
import { fillEnvironments, type Scene } from '../support/environments.js';

/** What the works are about: an organization of 100,000 environments and 10,000 designs, another of 1,000, and 49 that are empty. */
export interface OrganizationsScene extends Scene {
  small: string;
  viewerEmail: string;
  /** Ids of environments of the large organization, for reads and changes, and others to be deleted. */
  ids: string[];
  doomed: string[];
}

/** Fills the database of a server that has started once. */
export function fillScene(databaseUrl: string): Promise<OrganizationsScene> {
  return withClient(databaseUrl, async (client) => fillOrganizations(client, await fillEnvironments(client, [10])));
}

/** Adds 50 organizations of the administrator, and lets the viewer of 10 sign in with the password of the administrator. */
async function fillOrganizations(client: Client, scene: Scene): Promise<OrganizationsScene> {
  await client.query(
    `WITH made AS (
       INSERT INTO organization (id, name, owner) SELECT gen_random_uuid(), 'organization ' || i, $1 FROM generate_series(1, 50) i
       RETURNING id)
     INSERT INTO organization_member (organization_id, user_id, role) SELECT id, $1, 6 FROM made`,
    [scene.admin],
  );
  const { rows: named } = await client.query<{ id: string }>(
    `SELECT id FROM organization WHERE name = 'organization 1'`,
  );
  const small = named[0]?.id ?? '';
  await client.query(
    `INSERT INTO environment (id, organization_id, name, owner, created_at)
     SELECT gen_random_uuid(), $1, 'small ' || i, $2, now() - i * interval '1 minute' FROM generate_series(1, 1000) i`,
    [small, scene.admin],
  );
  const { rows: viewers } = await client.query<{ email: string }>(
    `UPDATE app_user SET password_hash = (SELECT password_hash FROM app_user WHERE id = $2) WHERE id = $1 RETURNING email`,
    [scene.viewers[10], scene.admin],
  );
  const { rows } = await client.query<{ id: string }>(
    `SELECT id FROM environment WHERE organization_id = $1 AND id NOT IN (SELECT environment_id FROM workspace_environment) LIMIT 60000`,
    [scene.organization],
  );
  await client.query(
    `INSERT INTO design (id, organization_id, workspace_id, name, user_id, source_type, version, created_at)
     SELECT gen_random_uuid(), $1, workspace.id, 'design ' || i, $2, 'design', '0.0.1', now() - i * interval '1 minute'
       FROM (SELECT id FROM workspace WHERE organization_id = $1 LIMIT 1) workspace, generate_series(1, 10000) i`,
    [scene.organization, scene.admin],
  );
  await client.query('VACUUM ANALYZE');
  const ids = rows.map((row) => row.id);
  return { ...scene, small, viewerEmail: viewers[0]?.email ?? '', ids: ids.slice(0, 1000), doomed: ids.slice(1000) };
}
