import type { Client } from 'pg';

export const ROWS = 100_000;

/** The organization of the first start, and who asks for its environments. */
export interface Scene {
  organization: string;
  admin: string;
  /** Viewers of one workspace, by how many of the environments are assigned to it. */
  viewers: Record<number, string>;
}

/**
 * Fills the database of a server that has started once: environments, created one after another, and for each of the
 * numbers a viewer of a workspace that has so many of them, spread evenly.
 */
export async function fillEnvironments(client: Client, visible: number[] = []): Promise<Scene> {
  const { rows } = await client.query<{ organization: string; admin: string }>(
    `SELECT organization_id AS organization, user_id AS admin FROM organization_member`,
  );
  const [{ organization, admin } = { organization: '', admin: '' }] = rows;
  await client.query(
    `INSERT INTO environment (id, organization_id, name, description, owner, tier, metadata, created_at, updated_at)
     SELECT gen_random_uuid(), $1, 'environment ' || substr(md5(i::text), 1, 12), 'Number ' || i, $2,
            (ARRAY['production', 'staging', 'development'])[1 + i % 3], jsonb_build_object('region', 'eu-' || i % 7, 'number', i),
            now() - (100000 - i) * interval '1 minute', now() - (100000 - i) * interval '1 minute'
       FROM generate_series(1, ${ROWS}) i`,
    [organization, admin],
  );
  const viewers: Record<number, string> = {};
  for (const count of visible) viewers[count] = await addViewer(client, organization, admin, count);
  await client.query('VACUUM ANALYZE');
  return { organization, admin, viewers };
}

async function addViewer(client: Client, organization: string, admin: string, count: number): Promise<string> {
  const { rows } = await client.query<{ viewer: string }>(
    `WITH viewer AS (
       INSERT INTO app_user (id, email) VALUES (gen_random_uuid(), $3) RETURNING id
     ), member AS (
       INSERT INTO organization_member (organization_id, user_id, role) SELECT $1, id, 1 FROM viewer
     ), workspace AS (
       INSERT INTO workspace (id, organization_id, name, owner) VALUES (gen_random_uuid(), $1, $3, $2) RETURNING id
     ), granted AS (
       INSERT INTO workspace_member (workspace_id, user_id, role) SELECT workspace.id, viewer.id, 2 FROM workspace, viewer
     ), assigned AS (
       INSERT INTO workspace_environment (id, organization_id, workspace_id, environment_id)
       SELECT gen_random_uuid(), $1, workspace.id, environment.id
         FROM workspace, environment
        WHERE (metadata->>'number')::int % ($4::int / $5::int) = 0
     )
     SELECT id AS viewer FROM viewer`,
    [organization, admin, `viewer-of-${count}@example.org`, ROWS, count],
  );
  return rows[0]?.viewer ?? '';
}
