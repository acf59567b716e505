import { createHash, createHmac, createPublicKey, generateKeyPairSync, hkdfSync, randomUUID } from 'node:crypto';
import type pg from 'pg';
import { Env } from '../src/core/config/env.js';
import { AuditSealer } from '../src/events/audit/chain/audit-sealer.service.js';
import { AuditKeysService } from '../src/events/audit/keys/audit-keys.service.js';
import { Vault } from '../src/core/crypto/vault.service.js';
import { inOwnerTransaction } from './support/owner-transaction.js';
import type { Json } from './support/person.js';
import { SETTINGS } from './support/settings.js';
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

const inTransaction = <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => inOwnerTransaction(world, work);

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
      'SELECT source, change_set IS NOT NULL AS first FROM audit_pending WHERE resource_id = $1',
      [made.id],
    );
    return [made, waiting];
  });
  expect(rows).toEqual([{ source: 'change', first: true }]);
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

it('counts changes with a sequence, which a restore to a server that counts its transactions anew keeps', async () => {
  await newEnvironment();
  await newEnvironment();
  const [numbers] = await inTransaction(async (client) => {
    const { rows } = await client.query(
      `SELECT max(change_set) AS last, count(DISTINCT change_set) = count(*) AS distinct,
              (SELECT last_value FROM audit_change_set) AS counted FROM event WHERE action = 'created' AND category = 'environment'`,
    );
    return rows;
  });
  expect(numbers).toEqual({ last: expect.any(String), distinct: true, counted: numbers.last });
});

it('shows nothing that waits to a sealer of an earlier version', async () => {
  const [seen, waiting] = await inTransaction(async (client) => {
    await client.query('SELECT pg_advisory_xact_lock(4152781)');
    const { id } = await newEnvironment();
    const { rows } = await client.query('SELECT FROM audit_pending WHERE resource_id = $1', [id]);
    return [await world.sql('SELECT FROM audit_pending'), rows];
  });
  expect(waiting).toHaveLength(1);
  expect(seen).toEqual([]);
});

it('seals events before they are purged', async () => {
  const { name } = await done(world.admin.get(`/api/identity/orgs/${world.organization}`));
  const [environment, purge] = await inTransaction(async (client) => {
    await client.query('SELECT pg_advisory_xact_lock(4152781)');
    const made = await newEnvironment();
    const number = `SELECT sequence FROM event WHERE acted_upon = $1`;
    const [event] = await world.sql<{ sequence: string }>(number, [made.id]);
    const purged = world.admin.post(`/api/identity/orgs/${world.organization}/events/purge`, {
      through: event?.sequence,
      confirm: name,
    });
    await until(async () => {
      const { rows } = await client.query(
        `SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 4152781 AND NOT granted`,
      );
      return rows.length > 0 || (await world.sql(number, [made.id])).length === 0;
    });
    return [made, purged];
  });
  expect(await purge).toMatchObject({ status: 200 });
  expect(await entriesOf(`resource=${environment.id}`)).toMatchObject([
    { action: 'environment.created', event_id: expect.any(String), metadata: { name: environment.name } },
  ]);
});

describe('seals by itself what was committed behind that which it has sealed', () => {
  /** Commits a change once as many later ones have been sealed, one after the other. @returns for how long it then waited */
  async function commitAfter(later: number): Promise<number> {
    const environment = await newEnvironment();
    const isSealed = async (id: string, action: string): Promise<boolean> =>
      (await world.sql('SELECT FROM audit_entry WHERE resource_id = $1 AND action = $2', [id, action])).length > 0;
    await inTransaction(async (client) => {
      await client.query(`UPDATE environment SET description = 'late' WHERE id = $1`, [environment.id]);
      for (let each = 0; each < later; each++) {
        const { id } = await newEnvironment();
        await until(() => isSealed(id as string, 'environment.created'));
      }
      expect(await isSealed(environment.id as string, 'environment.updated')).toBe(false);
    });
    const committed = performance.now();
    await until(() => isSealed(environment.id as string, 'environment.updated'));
    return performance.now() - committed;
  }

  it('at the next time, of a transaction that took less than one', async () => {
    // Every tenth time it would have been found by chance.
    for (let round = 0; round < 3; round++) expect(await commitAfter(1)).toBeLessThan(3_000);
  });

  it('in the end, of one that took longer', async () => {
    await commitAfter(3);
  });
});

it('keeps the text of a request whatever a caller writes into it', async () => {
  const agent = String.raw`NULL "quoted" {braces} \u0000 \\u0000 back\slash \n é`;
  const headers = { 'user-agent': agent };
  const { body: environment } = await world.admin.post(
    '/api/environments',
    { name: String.raw`{"a",NULL,\u0000\\} ${randomUUID()} 🙂`, organization_id: world.organization },
    { headers },
  );
  expect((await world.stranger.get('/api/environments', { headers })).status).toBe(401);
  expect(await entriesOf(`resource=${environment.id}`)).toMatchObject([
    { action: 'environment.created', user_agent: agent, after: { name: environment.name } },
  ]);
  const { entries: refused } = await done(world.admin.get('/api/system/audit?outcome=refused'));
  expect((refused as Json[]).map(({ user_agent }) => user_agent)).toContain(agent);
  const { valid } = await done(world.admin.get(`/api/identity/orgs/${world.organization}/audit/verify`));
  expect(valid).toBe(true);
});

it('seals a row whose signed request cannot be read, and those after it', async () => {
  const { ENCRYPTION_KEY } = Env.parse(SETTINGS);
  const key = Buffer.from(hkdfSync('sha256', ENCRYPTION_KEY as Buffer, '', 'audited requests', 32));
  const broken = String.raw`{"request":"1","agent":"\"}`;
  const signature = createHmac('sha256', key).update(broken).digest('base64url').slice(0, 22);
  const resource = randomUUID();
  await inTransaction((client) =>
    client.query(
      `INSERT INTO audit_pending (transaction, chain, source, action, resource_type, resource_id, acting, context, created_at)
       VALUES (1, $1, 'change', 'environment.updated', 'environment', $2, 'system', $3, now())`,
      [world.organization, resource, `${signature} ${broken}`],
    ),
  );
  const environment = await newEnvironment();
  expect(await entriesOf(`resource=${environment.id}`)).toHaveLength(1);
  expect(await entriesOf(`resource=${resource}`)).toMatchObject([{ actor: { kind: 'database' }, user_agent: null }]);
});

it('seals a name that is cut off within a character as it is stored', async () => {
  const resource = `${'x'.repeat(254)}🙂`;
  await inTransaction((client) =>
    client.query(
      `INSERT INTO audit_pending (transaction, chain, source, action, resource_type, resource_id, acting, created_at)
       VALUES (1, $1, 'change', $2, 'by hand', $2, 'system', now())`,
      [world.organization, resource],
    ),
  );
  const { valid } = await done(world.admin.get(`/api/identity/orgs/${world.organization}/audit/verify`));
  expect(valid).toBe(true);
});

it('signs the ends of chains of an earlier version, which has signed none', async () => {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const publicKey = createPublicKey(pem);
  const id = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
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
  expect(await verify()).toMatchObject({ valid: true });
  await newEnvironment();
  expect(await verify()).toMatchObject({ valid: true });
  const ends = await world.sql('SELECT signature FROM audit_chain WHERE chain = $1', [world.organization]);
  expect(ends).toEqual([{ signature: expect.stringMatching(/^[\w-]{43}$/) }]);
});

it('seals nothing while its key cannot be read, and takes it for no other key afterwards', async () => {
  const vault = world.get(Vault);
  const keys = world.get(AuditKeysService);
  const opened = (keys as unknown as { opened: Map<string, unknown> }).opened;
  opened.clear();
  const outage = jest.spyOn(vault, 'open').mockRejectedValue(new Error('the key service does not answer'));
  try {
    const environment = await newEnvironment();
    await expect(world.get(AuditSealer).sealCommitted()).rejects.toThrow('the key service does not answer');
    outage.mockRestore();
    expect(await entriesOf(`resource=${environment.id}`)).toHaveLength(1);
  } finally {
    outage.mockRestore();
  }
  expect(await done(world.admin.get(`/api/identity/orgs/${world.organization}/audit/verify`))).toMatchObject({
    valid: true,
  });
  expect(await world.sql('SELECT id FROM audit_key')).toHaveLength(1);
});
