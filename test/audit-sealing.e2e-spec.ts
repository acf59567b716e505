import { createHash, createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import pg from 'pg';
import { Actor } from '../src/core/access/actor.js';
import { Vault } from '../src/core/crypto/vault.service.js';
import { DatabaseUrl } from '../src/core/database/database-url.js';
import { UnitOfWork } from '../src/core/database/unit-of-work.js';
import { runInRequestContext } from '../src/core/telemetry/request-context.js';
import { AuditSealer } from '../src/events/audit/chain/audit-sealer.service.js';
import { ChainsStore } from '../src/events/audit/chain/chains.store.js';
import type { Json } from './support/person.js';
import { until } from './support/until.js';
import { done } from './support/workspace-scene.js';
import { World } from './support/world.js';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

const INSERT_ENVIRONMENTS = `INSERT INTO environment (id, organization_id, owner, name, description)
  SELECT gen_random_uuid(), $1, $2, 'bulk ' || number, '' FROM generate_series(1, $3::int) AS number`;

const entriesOf = async (query: string): Promise<Json[]> =>
  (await done(world.admin.get(`/api/identity/orgs/${world.organization}/audit?pagesize=500&${query}`)))
    .entries as Json[];
const newEnvironment = (): Promise<Json> =>
  done(world.admin.post('/api/environments', { name: `sealed ${randomUUID()}`, organization_id: world.organization }));

/** In one transaction of the tables' owner, which no server has signed. */
async function inTransaction<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: world.get(DatabaseUrl).href });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query(`SELECT set_config('armature.user', 'system', true)`);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } finally {
    await client.end();
  }
}

/** @returns the id of the event */
async function appendEvent(client: pg.Client, actedUpon: string): Promise<string> {
  const id = randomUUID();
  const event = {
    ...{ id, organization_id: world.organization, workspace_id: null, user_id: null, system_actor: 'test' },
    ...{ acted_upon: actedUpon, operation_id: null, category: 'environment', action: 'updated' },
    ...{ severity: 'informational', description: 'changed', metadata: {} },
  };
  await client.query('SELECT append_events($1)', [JSON.stringify([event])]);
  return id;
}

it('makes one entry of a change with its event, and writes the event down once', async () => {
  // The sealer waits, so that what it will find can be seen.
  const [environment, rows] = await inTransaction(async (client) => {
    await client.query('SELECT pg_advisory_xact_lock(4152781)');
    const made = await newEnvironment();
    const { rows: waiting } = await client.query(
      'SELECT source, with_events FROM audit_pending WHERE resource_id = $1',
      [made.id],
    );
    return [made, waiting];
  });
  expect(rows).toEqual([{ source: 'change', with_events: true }]);
  const entries = await entriesOf(`resource=${environment.id}`);
  expect(entries).toHaveLength(1);
  expect(entries[0]).toMatchObject({
    action: 'environment.created',
    event_id: expect.any(String),
    after: { name: environment.name },
    metadata: { name: environment.name },
    actor: { id: world.admin.id },
    address: expect.any(String),
    via: 'rest',
  });
});

it('makes one entry of an event of a transaction that changed more than is sealed at once', async () => {
  const environment = await newEnvironment();
  const event = await inTransaction(async (client) => {
    await client.query(INSERT_ENVIRONMENTS, [world.organization, world.admin.id, 1_200]);
    return appendEvent(client, environment.id as string);
  });
  const entries = await entriesOf(`resource=${environment.id}&action=environment.updated`);
  expect(entries.map(({ event_id }) => event_id)).toEqual([event]);
  const { entries: all, valid } = await done(world.admin.get(`/api/identity/orgs/${world.organization}/audit/verify`));
  expect(valid).toBe(true);
  const counted = await world.sql<{ changes: number; entries: number }>(
    `SELECT sum(CASE WHEN action = 'environment.updated' THEN json_array_length(details::json -> 'changes') ELSE 1 END)::int AS changes,
            (SELECT count(*)::int FROM audit_entry WHERE chain = $1) AS entries
       FROM audit_entry WHERE details LIKE '%bulk %'`,
    [world.organization],
  );
  expect(counted).toEqual([{ changes: 1_200, entries: all }]);
});

it('makes an entry of an event whose change was rolled back to a savepoint', async () => {
  const environment = await newEnvironment();
  await inTransaction(async (client) => {
    await client.query('SAVEPOINT before');
    await client.query(`UPDATE environment SET description = 'taken back' WHERE id = $1`, [environment.id]);
    await client.query('ROLLBACK TO before');
    await appendEvent(client, environment.id as string);
  });
  expect(await entriesOf(`resource=${environment.id}&action=environment.updated`)).toMatchObject([
    { before: null, after: null },
  ]);
});

it('seals by itself what was committed behind that which it has sealed', async () => {
  const environment = await newEnvironment();
  const sealed = async (): Promise<boolean> =>
    (
      await world.sql(`SELECT FROM audit_entry WHERE resource_id = $1 AND action = 'environment.updated'`, [
        environment.id,
      ])
    ).length > 0;
  await inTransaction(async (client) => {
    await client.query(`UPDATE environment SET description = 'late' WHERE id = $1`, [environment.id]);
    const later = await newEnvironment();
    await until(async () => (await world.sql('SELECT FROM audit_entry WHERE resource_id = $1', [later.id])).length > 0);
    expect(await sealed()).toBe(false);
  });
  await until(sealed);
});

it('does not read a chain to append to it', async () => {
  await newEnvironment();
  await world.get(AuditSealer).sealCommitted();
  const [unit, chains] = [world.get(UnitOfWork), world.get(ChainsStore)];
  const read = await runInRequestContext({ requestId: 'test', actor: Actor.system('test') }, () =>
    unit.run(async () => {
      await chains.findRoom([await chains.findEnd(world.organization)]);
      const [row] = await unit.manager.query<{ read: number }[]>(
        `SELECT (seq_tup_read + idx_tup_fetch + coalesce((SELECT sum(pg_stat_get_xact_tuples_returned(indexrelid))
                  FROM pg_index WHERE indrelid = relid), 0))::int AS read
           FROM pg_stat_xact_user_tables WHERE relname = 'audit_entry'`,
      );
      return row?.read;
    }),
  );
  // The planner may look at the ends of an index; the chain has more than a thousand entries.
  expect(read).toBeLessThan(20);
});

it('signs the ends of chains of an earlier version, which has signed none', async () => {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const publicKey = createPublicKey(pem);
  const der = publicKey.export({ type: 'spki', format: 'der' });
  const id = createHash('sha256').update(der).digest('hex');
  const privateKey = await world.get(Vault).seal(null, pem, `audit key ${id}`);
  await inTransaction(async (client) => {
    await client.query('DELETE FROM audit_checkpoint');
    await client.query('DELETE FROM audit_key');
    await client.query('INSERT INTO audit_key (id, public_key, private_key) VALUES ($1, $2, $3)', [
      ...[id, publicKey.export({ type: 'spki', format: 'pem' }), privateKey],
    ]);
    await client.query('UPDATE audit_chain SET signature = NULL');
  });
  const verify = (): Promise<Json> => done(world.admin.get(`/api/identity/orgs/${world.organization}/audit/verify`));
  const findEnd = async (): Promise<Json> =>
    (await world.sql('SELECT * FROM audit_chain WHERE chain = $1', [world.organization]))[0] as Json;
  expect(await verify()).toMatchObject({ valid: true });
  await newEnvironment();
  expect(await verify()).toMatchObject({ valid: true });
  expect((await findEnd()).signature).toMatch(/^[\w-]{43}$/);
  // A process of the earlier version goes on for a while: it moves the end and leaves the signature.
  const client = new pg.Client({ connectionString: world.get(DatabaseUrl).href });
  await client.connect();
  await client.query('BEGIN');
  await client.query('UPDATE audit_chain SET last = last + 1');
  const { rows } = await client.query('SELECT DISTINCT signature FROM audit_chain');
  await client.query('ROLLBACK');
  await client.end();
  expect(rows).toEqual([{ signature: null }]);
});
