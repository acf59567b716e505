import { randomUUID } from 'node:crypto';
import { UnitOfWork } from '../src/core/database/unit-of-work.js';
import { AuditEntriesStore } from '../src/events/audit/audit-entries.store.js';
import { AuditSealer } from '../src/events/audit/chain/audit-sealer.service.js';
import { ChainsStore } from '../src/events/audit/chain/chains.store.js';
import { PendingRowsStore } from '../src/events/audit/chain/pending-rows.store.js';
import { CallsStore } from '../src/events/audit/calls/calls.store.js';
import { EventLogStore } from '../src/events/log/event-log.store.js';
import { NotificationMailsStore } from '../src/events/notifications/mail/notification-mails.store.js';
import { ClusterResourcesStore } from '../src/kubernetes/resources/cluster-resources.store.js';
import { countRead } from './support/count-read.js';
import { inOwnerTransaction } from './support/owner-transaction.js';
import { until } from './support/until.js';
import { done } from './support/workspace-scene.js';
import { World } from './support/world.js';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

/** What is asked for, and what the planner reads at the ends of indexes; each table has several times as many rows. */
const FEW = 20;

const newEnvironment = () => ({ name: `read ${randomUUID()}`, organization_id: world.organization });

describe('under row-level security no more is read than is needed', () => {
  it('of a chain to list its last entries', async () => {
    for (let each = 0; each < 50; each++) await done(world.admin.post('/api/environments', newEnvironment()));
    const { total_count } = await done(world.admin.get(`/api/identity/orgs/${world.organization}/audit`));
    const [counted] = await world.sql<{ entries: number }>(
      'SELECT count(*)::int AS entries FROM audit_entry WHERE chain = $1',
      [world.organization],
    );
    expect(total_count).toBe(counted?.entries);
    const list = (): Promise<unknown> => world.get(AuditEntriesStore).page(world.organization, { pagesize: '2' });
    expect(await countRead(world, 'audit_entry', list)).toBeLessThan(FEW);
  });

  it('of a chain to append to it', async () => {
    await world.get(AuditSealer).sealCommitted();
    const chains = world.get(ChainsStore);
    const read = await countRead(world, 'audit_entry', async () =>
      chains.skipForeignEntries([await chains.findEnd(world.organization)]),
    );
    expect(read).toBeLessThan(FEW);
  });

  it('of a chain to list the entries of one user', async () => {
    const { id } = await world.person();
    await inOwnerTransaction(world, (client) =>
      client.query(
        `INSERT INTO environment (id, organization_id, owner, name, description)
         SELECT gen_random_uuid(), $1, $2, 'other ' || number, '' FROM generate_series(1, 3000) AS number`,
        [world.organization, world.admin.id],
      ),
    );
    await world.get(AuditSealer).sealCommitted();
    await inOwnerTransaction(world, (client) => client.query('ANALYZE audit_entry'));
    const list = (): Promise<unknown> => world.get(AuditEntriesStore).page(world.organization, { actor: id });
    expect(await countRead(world, 'audit_entry', list)).toBeLessThan(100);
  });

  it('of much that waits, whatever plan looks cheaper', async () => {
    await world.get(AuditSealer).sealCommitted();
    await inOwnerTransaction(world, async (client) => {
      await client.query('SELECT pg_advisory_xact_lock(4152781)');
      await inOwnerTransaction(world, (other) =>
        other.query(
          `INSERT INTO environment (id, organization_id, owner, name, description)
           SELECT gen_random_uuid(), $1, $2, 'bulk ' || number, '' FROM generate_series(1, 2000) AS number`,
          [world.organization, world.admin.id],
        ),
      );
      const find = async (): Promise<void> => {
        await world.get(UnitOfWork).manager.query('SET LOCAL enable_indexscan = off');
        await world.get(PendingRowsStore).find('0', 10);
      };
      // Removed rows are passed over until an index scan may mark them: once no older transaction can see them.
      await until(async () => (await countRead(world, 'audit_pending', find)) < 1_000);
    });
  });

  it('of the accounts to know whom a refused sign-in names', async () => {
    const refusal = {
      ...{ context: '{}', acting: null, action: 'login', reason: 'UNAUTHORIZED', ids: [], at: new Date(), count: 1 },
      account: ` ${world.admin.email.toUpperCase()}`,
    };
    await inOwnerTransaction(world, (client) =>
      client.query(
        `INSERT INTO app_user (id, email, kind)
         SELECT gen_random_uuid(), 'person-' || number || '@example.org', 'person' FROM generate_series(1, 50) AS number`,
      ),
    );
    expect(await countRead(world, 'app_user', () => world.get(CallsStore).insert([refusal]))).toBeLessThan(FEW);
    const { entries } = await done(world.admin.get(`/api/system/audit?resource=${world.admin.id}&outcome=refused`));
    expect(entries).toMatchObject([{ action: 'login' }]);
  });

  it('of the events that were read for mail before', async () => {
    const mails = world.get(NotificationMailsStore);
    const next = (): Promise<unknown> => mails.requestNext(world.organization, { settleMs: 1, intervalMs: 1 });
    for (let event = 0; event < 40; event++) await done(world.admin.post('/api/environments', newEnvironment()));
    await countRead(world, 'event', next);
    expect(await countRead(world, 'event', next)).toBeLessThan(FEW);
    await done(world.admin.post('/api/environments', newEnvironment()));
    expect(await countRead(world, 'event', next)).toBeLessThan(FEW);
  });

  it('of the events of an organization to erase a person from some', async () => {
    await done(world.admin.post('/api/environments', newEnvironment()));
    // Those of others have higher numbers.
    await inOwnerTransaction(world, (client) =>
      client.query(
        `INSERT INTO event (id, sequence, system_actor, acted_upon, category, action, severity, description)
         SELECT gen_random_uuid(), 1000000 + number, 'test', gen_random_uuid(), 'model', 'updated', 'informational', 'changed'
           FROM generate_series(1, 500) AS number`,
      ),
    );
    const [end] = await world.sql<{ last: string }>('SELECT last - 1 AS last FROM event_counter WHERE feed = $1', [
      world.organization,
    ]);
    const erase = (): Promise<unknown> =>
      world.get(EventLogStore).eraseAfter(world.organization, 'nobody@example.org', end?.last ?? '', 2_000);
    expect(await countRead(world, 'event', erase)).toBeLessThan(FEW);
  });

  it('of the objects of a cluster with the same name', async () => {
    const connection = randomUUID();
    await inOwnerTransaction(world, async (client) => {
      await client.query(
        `INSERT INTO connection (id, organization_id, owner, name, kind, type, sub_type, status)
         VALUES ($1, $2, $3, 'read', 'kubernetes', 'platform', 'orchestrator', 'connected')`,
        [connection, world.organization, world.admin.id],
      );
      await client.query(
        `INSERT INTO cluster_resource (id, organization_id, connection_id, api_version, kind, namespace, name, uid, resource_version,
           labels, content, omitted, created_at, updated_at)
         SELECT gen_random_uuid(), $2, $1, 'v1', 'ConfigMap', 'namespace-' || number, 'same', number, '1', '{}', '{}', '{}', now(), now()
           FROM generate_series(1, 20000) AS number`,
        [connection, world.organization],
      );
      await client.query('ANALYZE cluster_resource');
    });
    const name = {
      connection_id: connection,
      api_version: 'v1',
      kind: 'ConfigMap',
      namespace: 'namespace-7',
      name: 'same',
    };
    let found = 0;
    const find = async (): Promise<void> => {
      found = (await world.get(ClusterResourcesStore).findByName([name])).size;
    };
    expect(await countRead(world, 'cluster_resource', find)).toBeLessThan(FEW);
    expect(found).toBe(1);
  });
});
