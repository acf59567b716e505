import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { Client, Pool } from 'pg';
import { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { Actor } from '../src/core/access/actor.js';
import { PooledClient, SET_LOCAL_USER_SQL, SET_USER_SQL } from '../src/core/database/pooled-client.js';
import { named } from '../src/core/database/statements.js';
import { UnitOfWork } from '../src/core/database/unit-of-work.js';
import { Environment } from '../src/environments/environment.entity.js';
import { EnvironmentsStore } from '../src/environments/environments.store.js';
import { AuditSealer } from '../src/events/audit/chain/audit-sealer.service.js';
import type { Json, Person } from './support/person.js';
import { World } from './support/world.js';

let world: World;
let owner: Person & { organization: string };

beforeAll(async () => {
  world = await World.start();
  owner = await world.outsider();
});
afterAll(() => world.stop());

const list = (person: Person): Promise<{ status: number; body: Json }> =>
  person.get(`/api/environments?orgID=${owner.organization}`);

const create = (person: Person): Promise<{ status: number; body: Json }> =>
  person.post('/api/environments', { name: `environment ${randomUUID()}`, organization_id: owner.organization });

/** A connection of the pool, for as long as the work takes. */
async function withClient<T>(work: (client: PooledClient) => Promise<T>): Promise<T> {
  const runner = world.get(DataSource).createQueryRunner();
  try {
    return await work((await runner.connect()) as PooledClient);
  } finally {
    await runner.release();
  }
}

describe('a connection of the pool', () => {
  it('fails a statement when what was sent ahead of it failed', async () => {
    await withClient(async (client) => {
      expect(client).toBeInstanceOf(PooledClient);
      await client.query(SET_USER_SQL, ['\0']);
      await expect(client.query('SELECT 1')).rejects.toThrow('invalid byte sequence');
      expect(client.rowSecurityUser).toBeUndefined();
      expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    });
  });

  it('writes nothing in the name of the caller before when naming the next one failed', async () => {
    await withClient(async (client) => {
      await client.query('CREATE TEMPORARY TABLE written (n int)');
      await client.query(SET_USER_SQL, ['\0']);
      await expect(client.query('INSERT INTO written VALUES (1)')).rejects.toThrow('invalid byte sequence');
      expect((await client.query('SELECT FROM written')).rowCount).toBe(0);
      await client.query('DROP TABLE written');
    });
  });

  it('sends in one write what is asked in one turn', async () => {
    await withClient(async (client) => {
      // The user of a connection is set by a separate statement before a transaction begins.
      await client.query('SELECT 1');
      const { stream } = client.connection as unknown as { stream: Duplex };
      const writes = [jest.spyOn(stream, '_write'), jest.spyOn(stream, '_writev' as '_write')];
      await client.query('START TRANSACTION');
      await client.query(SET_LOCAL_USER_SQL, [owner.id]);
      const sent = [client.query('SELECT $1::int AS n', [1]), client.query('COMMIT')];
      await Promise.all(sent);
      expect(writes.flatMap(({ mock }) => mock.calls)).toHaveLength(1);
      for (const write of writes) write.mockRestore();
    });
  });

  it('answers statements in their order', async () => {
    await withClient(async (client) => {
      const answers = await Promise.all([1, 2, 3].map((n) => client.query<{ n: number }>('SELECT $1::int AS n', [n])));
      expect(answers.map(({ rows }) => rows[0]?.n)).toEqual([1, 2, 3]);
    });
  });
});

describe('a named statement', () => {
  const TEXT = named('SELECT $1::int AS n, $2::timestamptz AS at, 1 / $1::int AS part');
  const at = new Date('2026-11-23T02:30:00.120Z');

  it('is described once on each connection, and answers the same afterwards', async () => {
    await withClient(async (client) => {
      const describe = jest.spyOn(client.connection as unknown as { describe: () => void }, 'describe');
      const first = await client.query<{ n: number }>(TEXT, [1, at]);
      expect(first.rows).toEqual([{ n: 1, at, part: 1 }]);
      const asked = describe.mock.calls.length;
      const again = await Promise.all([2, 3].map((n) => client.query(TEXT, [n, at])));
      expect(again.map(({ rows }) => rows as unknown)).toEqual([[{ n: 2, at, part: 0 }], [{ n: 3, at, part: 0 }]]);
      expect(again[0]).toMatchObject({ command: 'SELECT', rowCount: 1, fields: first.fields });
      expect(describe.mock.calls).toHaveLength(asked);
      describe.mockRestore();
    });
  });

  it('is prepared by a connection as one of 250; further ones are planned at each call', async () => {
    await withClient(async (client) => {
      const describe = jest.spyOn(client.connection as unknown as { describe: () => void }, 'describe');
      const texts = Array.from({ length: 260 }, (_, n) => named(`SELECT $1::int + ${n} AS n`));
      for (const text of [...texts, ...texts]) await client.query(text, [1]);
      const unnamed = describe.mock.calls.length - texts.length;
      expect(unnamed).toBeGreaterThanOrEqual(10);
      expect(unnamed).toBeLessThan(texts.length);
      describe.mockRestore();
    });
  });

  it('goes on after it has failed, and answers no row of before', async () => {
    await withClient(async (client) => {
      await client.query(TEXT, [1, at]);
      await expect(client.query(TEXT, [0, at])).rejects.toThrow('division by zero');
      await expect(client.query(TEXT, ['\0', at])).rejects.toThrow('invalid byte sequence');
      expect((await client.query(TEXT, [1, null])).rows).toEqual([{ n: 1, at: null, part: 1 }]);
      expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    });
  });
});

describe('a unit of work', () => {
  it('is undone when a statement that is sent with its commit fails', async () => {
    const unit = world.get(UnitOfWork);
    const environment = Environment.create(Actor.user({ id: owner.id, email: owner.email, installationAdmin: false }), {
      name: 'undone',
      organization_id: owner.organization,
    });
    const work = unit.run(async () => {
      await world.get(EnvironmentsStore).insert(environment);
      unit.withCommit(() => [{ text: 'SELECT 1 / $1::int', values: [0] }]);
    });
    await expect(work).rejects.toThrow('division by zero');
    expect(await world.sql('SELECT FROM environment WHERE id = $1', [environment.id])).toHaveLength(0);
    // The connection serves others as before.
    expect((await create(owner)).status).toBe(201);
  });

  it('is undone when a statement that nothing waited for fails', async () => {
    const unit = world.get(UnitOfWork);
    const actor = Actor.user({ id: owner.id, email: owner.email, installationAdmin: false });
    const fields = { name: 'undone', organization_id: owner.organization };
    for (const next of [() => Promise.resolve(), () => unit.manager.query('SELECT 1')]) {
      const environment = Environment.create(actor, fields);
      const work = unit.run(async () => {
        await world.get(EnvironmentsStore).insert(environment);
        await unit.sendAhead('SELECT 1 / $1::int', [0]);
        await next();
      });
      await expect(work).rejects.toThrow('division by zero');
      expect(await world.sql('SELECT FROM environment WHERE id = $1', [environment.id])).toHaveLength(0);
    }
    expect((await create(owner)).status).toBe(201);
  });

  it('asks two things in one write, in their order, and refuses two at once otherwise', async () => {
    const unit = world.get(UnitOfWork);
    const one = (n: number) => () => unit.manager.query<{ n: number }[]>('SELECT $1::int AS n', [n]);
    const answers = await unit.run(() => unit.queryTogether(one(1), one(2)));
    expect(answers.map(([row]) => row?.n)).toEqual([1, 2]);
    await expect(unit.run(() => Promise.all([one(1)(), one(2)()]))).rejects.toThrow('two statements at once');
    const fails = () => unit.manager.query('SELECT 1 / $1::int', [0]);
    await expect(unit.run(() => unit.queryTogether(fails, one(2)))).rejects.toThrow('division by zero');
    await expect(unit.run(() => unit.queryTogether(one(1), fails))).rejects.toThrow('division by zero');
    const two = () => one(1)().then(one(2));
    await expect(unit.run(() => unit.queryTogether(two, one(3)))).rejects.toThrow('has to be a single statement');
    const late = () => Promise.resolve().then(one(1));
    await expect(unit.run(() => unit.queryTogether(late, one(2)))).rejects.toThrow('at once');
    expect(await unit.run(() => unit.queryTogether(one(1), two))).toMatchObject([[{ n: 1 }], [{ n: 2 }]]);
  });
});

describe('a membership', () => {
  it('that is remembered ends at once', async () => {
    const member = await world.person('member');
    await world.join(member, owner, 'admin');
    expect((await create(member)).status).toBe(201);
    expect((await list(member)).status).toBe(200);
    const path = `/api/identity/orgs/${owner.organization}/users/${member.id}`;
    expect((await owner.delete(path)).status).toBe(200);
    expect((await list(member)).status).toBe(404);
    expect((await create(member)).status).toBe(404);
  });

  it('that is changed without the service is forgotten within a second', async () => {
    const member = await world.person('member');
    await world.join(member, owner, 'admin');
    expect((await create(member)).status).toBe(201);
    await world.sql('UPDATE organization_member SET role = 1 WHERE organization_id = $1 AND user_id = $2', [
      owner.organization,
      member.id,
    ]);
    await new Promise((later) => setTimeout(later, 1_000));
    expect((await create(member)).status).toBe(403);
    await world.sql('DELETE FROM organization_member WHERE user_id = $1', [member.id]);
    await new Promise((later) => setTimeout(later, 1_000));
    expect((await list(member)).status).toBe(404);
  });

  it('that ends while a change waits for its record is no right to it', async () => {
    const member = await world.person('member');
    await world.join(member, owner, 'admin');
    const { body: environment } = await create(owner);
    const path = `/api/environments/${environment.id}`;
    const other = world.get(DataSource).createQueryRunner();
    await other.startTransaction();
    await other.query('SELECT FROM environment WHERE id = $1 FOR UPDATE', [environment.id]);
    const changed = member.put(path, { description: 'late' });
    const isWaiting = async (): Promise<boolean> =>
      (await world.sql(`SELECT FROM pg_locks WHERE NOT granted AND locktype IN ('transactionid', 'tuple')`)).length > 0;
    for (let tries = 0; tries < 200 && !(await isWaiting()); tries++)
      await new Promise((later) => setTimeout(later, 50));
    await other.query('UPDATE organization_member SET role = 1 WHERE organization_id = $1 AND user_id = $2', [
      owner.organization,
      member.id,
    ]);
    await other.commitTransaction();
    await other.release();
    expect(await changed).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect((await owner.get(path)).body).toMatchObject({ description: environment.description });
  });

  it('that is new is there at once', async () => {
    const member = await world.person('member');
    expect((await list(member)).status).toBe(404);
    await world.join(member, owner, 'member');
    expect((await list(member)).status).toBe(200);
  });
});

describe('the statements of a call', () => {
  it('are one for a warm list and a warm read, and few for a change', async () => {
    const { body } = await create(owner);
    await list(owner);
    // What the audit does behind the calls is none of theirs.
    await world.get(AuditSealer).beforeApplicationShutdown();
    /** The statements of the call: those about its records, and the ends of transactions that have one of them. */
    const asked: string[] = [];
    const counted = new Set<Client>();
    const pool = (world.get(DataSource).driver as PostgresDriver).master as Pool;
    pool.on('acquire', (client) => {
      if (counted.has(client)) return;
      counted.add(client);
      const query = client.query.bind(client) as (...given: unknown[]) => unknown;
      let isOfCall = false;
      const count = (...given: unknown[]): unknown => {
        const text = String(given[0]);
        const isAbout = /environment|role_on/.test(text) && !/\bjob\b/.test(text);
        if (isAbout || (isOfCall && text === 'COMMIT')) asked.push(text);
        isOfCall = (isOfCall || isAbout) && !/^(?:COMMIT|ROLLBACK|START TRANSACTION)/.test(text);
        return query(...given);
      };
      client.query = count as typeof client.query;
    });
    const costOf = async (call: () => Promise<unknown>): Promise<number> => {
      asked.length = 0;
      await call();
      return asked.length;
    };
    expect(await costOf(() => list(owner))).toBe(1);
    expect(await costOf(() => owner.get(`/api/environments/${body.id}`))).toBe(1);
    // The insert, and the event with the commit.
    const cost = await costOf(() => create(owner));
    expect(cost).toBeLessThanOrEqual(3);
    expect(asked).toContain('COMMIT');
  });
});
