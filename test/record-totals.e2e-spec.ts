import { randomUUID } from 'node:crypto';
import { RecordTotalsStore } from '../src/core/records/record-totals.store.js';
import type { Json, Person } from './support/person.js';
import { until } from './support/until.js';
import { World } from './support/world.js';

let world: World;
let owner: Person & { organization: string };

beforeAll(async () => {
  world = await World.start();
  owner = await world.outsider();
});
afterAll(() => world.stop());

const KINDS = ['environment', 'connection', 'credential', 'workspace', 'design', 'filter'];

async function create(name = `environment ${randomUUID()}`): Promise<Json> {
  const { status, body } = await owner.post('/api/environments', { name, organization_id: owner.organization });
  expect(status).toBe(201);
  return body;
}

const totalOf = async (person: Person, more = ''): Promise<unknown> =>
  (await person.get(`/api/environments?orgID=${owner.organization}${more}`)).body.total_count;

/** The sums of all organizations that differ from what is there. */
async function findWrongTotals(): Promise<unknown[]> {
  const counted = KINDS.map(
    (table) =>
      `SELECT '${table}' AS record, organization_id, count(*) AS amount FROM ${table} WHERE deleted_at IS NULL GROUP BY 2`,
  );
  return world.sql(
    `SELECT record, organization_id, kept.amount AS kept, counted.amount AS counted
       FROM (SELECT record, organization_id, sum(amount) AS amount FROM record_total GROUP BY 1, 2) AS kept
       FULL JOIN (${counted.join(' UNION ALL ')}) AS counted USING (record, organization_id)
      WHERE coalesce(kept.amount, 0) <> coalesce(counted.amount, 0)`,
  );
}

describe('the total of a list', () => {
  it('follows what is created, deleted and restored', async () => {
    const before = Number(await totalOf(owner));
    const made = await create();
    expect(await totalOf(owner)).toBe(before + 1);
    expect((await owner.delete(`/api/environments/${made.id}`)).status).toBe(200);
    expect(await totalOf(owner)).toBe(before);
    expect((await owner.post(`/api/environments/${made.id}/restore`)).status).toBe(200);
    expect(await totalOf(owner)).toBe(before + 1);
    expect(await findWrongTotals()).toEqual([]);
  });

  it('counts what filter and search choose, and is known on pages past the end and in walks', async () => {
    const name = `wanted ${randomUUID()}`;
    await create(name);
    const all = await totalOf(owner);
    expect(all).toBeGreaterThan(1);
    expect(await totalOf(owner, `&search=${name}`)).toBe(1);
    expect(await totalOf(owner, `&filter=${JSON.stringify({ name })}`)).toBe(1);
    expect(await totalOf(owner, `&filter=${JSON.stringify({ deleted_at: true })}`)).toBe(0);
    expect(await totalOf(owner, '&page=400')).toBe(all);
    expect(await totalOf(owner, '&cursor=')).toBe(all);
    expect(await totalOf(owner, `&search=${randomUUID()}&page=3`)).toBe(0);
  });

  it('is that of the records which a member sees', async () => {
    const member = await world.person('member');
    await world.join(member, owner, 'member');
    expect(await totalOf(member)).toBe(0);
    const workspace = (await owner.post('/api/workspaces', { name: 'seen', organization_id: owner.organization })).body;
    const environment = await create();
    await owner.post(`/api/workspaces/${workspace.id}/environments/${environment.id}`);
    await world.sql('INSERT INTO workspace_member (workspace_id, user_id, role) VALUES ($1, $2, 2)', [
      workspace.id,
      member.id,
    ]);
    await until(async () => (await totalOf(member)) === 1);
    await world.sql('UPDATE organization_member SET role = 5 WHERE organization_id = $1 AND user_id = $2', [
      owner.organization,
      member.id,
    ]);
    // Roles that are changed beside the server come to it by a notification.
    const all = await totalOf(owner);
    await until(async () => (await totalOf(member)) === all);
  });

  it('is exact while many write and its parts are folded', async () => {
    const before = Number(await totalOf(owner));
    const store = world.get(RecordTotalsStore);
    const work = async (): Promise<void> => {
      for (let nth = 0; nth < 5; nth++) {
        const made = await create();
        if (nth % 2 === 1) await owner.delete(`/api/environments/${made.id}`);
      }
    };
    const folds = async (): Promise<void> => {
      for (let nth = 0; nth < 10; nth++) await Promise.all([store.fold(), store.fold()]);
    };
    await Promise.all([...Array.from({ length: 8 }, work), folds()]);
    expect(await totalOf(owner)).toBe(before + 8 * 3);
    await store.fold();
    const [parts] = await world.sql<{ count: string }>(
      `SELECT count(*) FROM record_total WHERE organization_id = $1 AND record = 'environment'`,
      [owner.organization],
    );
    expect(Number(parts?.count)).toBe(1);
    expect(await findWrongTotals()).toEqual([]);
  });

  it('is not changed by a transaction that is rolled back, and follows a removal of rows', async () => {
    const before = Number(await totalOf(owner));
    const insert = `INSERT INTO environment (id, organization_id, name, owner)
      SELECT gen_random_uuid(), '${owner.organization}', 'bulk', '${owner.id}' FROM generate_series(1, 50)`;
    await expect(world.sql(`${insert}; SELECT 1 / 0`)).rejects.toThrow('division');
    expect(await totalOf(owner)).toBe(before);
    await world.sql(insert);
    expect(await totalOf(owner)).toBe(before + 50);
    await world.sql(`DELETE FROM environment WHERE name = 'bulk'`);
    expect(await totalOf(owner)).toBe(before);
  });
});

describe('a page far from the beginning', () => {
  let far: Person & { organization: string };
  const path = (page: number, more = '') => `/api/environments?orgID=${far.organization}&page=${page}${more}`;

  /** Asks for a page twice, so that the second is read from a place that is known, and holds both against the whole list. */
  async function expectPage(page: number, order = 'created_at DESC, id DESC', more = ''): Promise<void> {
    const listed = await world.sql<{ id: string }>(
      `SELECT id FROM environment WHERE organization_id = $1 AND deleted_at IS NULL ORDER BY ${order}`,
      [far.organization],
    );
    for (const nth of [1, 2]) {
      const { body } = await far.get(path(page, more));
      const ids = (body.environments as Json[]).map(({ id }) => id);
      expect({ nth, ids }).toEqual({ nth, ids: listed.slice(page * 20, page * 20 + 20).map(({ id }) => id) });
      expect(body.total_count).toBe(listed.length);
    }
  }

  beforeAll(async () => {
    far = await world.outsider();
    await world.sql(
      `INSERT INTO environment (id, organization_id, name, owner, created_at)
       SELECT gen_random_uuid(), $1, 'e' || i, $2, now() - (i / 7) * interval '1 hour' FROM generate_series(1, 1250) i`,
      [far.organization, far.id],
    );
  });

  it('has the records of the whole list at its place, in either order, to its end and past it', async () => {
    for (const page of [30, 61, 45, 62, 63, 24, 25]) await expectPage(page);
    await expectPage(40, 'created_at, id', '&order=created_at asc');
    await expectPage(40, 'name COLLATE names, id', '&order=name');
  });

  it('moves with each record that is added, deleted, restored or removed before it, and when totals are folded', async () => {
    await expectPage(50);
    const { body: made } = await far.post('/api/environments', { name: 'new', organization_id: far.organization });
    await expectPage(50);
    await far.delete(`/api/environments/${made.id}`);
    await expectPage(50);
    await far.post(`/api/environments/${made.id}/restore`);
    await world.get(RecordTotalsStore).fold();
    await expectPage(50);
    await world.sql(
      `UPDATE environment SET deleted_at = now() WHERE organization_id = $1 AND name IN ('e3', 'e1200')`,
      [far.organization],
    );
    await expectPage(50);
    await world.sql(`DELETE FROM environment WHERE organization_id = $1 AND name LIKE 'e10%'`, [far.organization]);
    await expectPage(50);
  });

  it('is right while others write', async () => {
    const write = async (): Promise<void> => {
      for (let nth = 0; nth < 6; nth++) {
        const { body } = await far.post('/api/environments', { name: 'more', organization_id: far.organization });
        if (nth % 2 === 0) await far.delete(`/api/environments/${body.id}`);
      }
    };
    // New ones come before all others, so that the last record of all shows whether pages and totals are of one moment.
    const read = async (): Promise<void> => {
      for (let nth = 0; nth < 12; nth++) {
        const { body } = await far.get(path(2, '&pagesize=500'));
        expect(body.total_count).toBe(1000 + (body.environments as Json[]).length);
      }
    };
    await Promise.all([write(), write(), read(), read()]);
    await expectPage(50);
  });

  it('is closed to whoever no longer administers the organization', async () => {
    const admin = await world.person('member');
    await world.join(admin, far, 'admin');
    expect((await admin.get(path(50))).body.environments).toHaveLength(20);
    expect((await admin.get(path(50))).body.environments).toHaveLength(20);
    await world.sql('UPDATE organization_member SET role = 1 WHERE organization_id = $1 AND user_id = $2', [
      far.organization,
      admin.id,
    ]);
    expect((await admin.get(path(50))).body).toMatchObject({ environments: [], total_count: 0 });
  });

  it('keeps what is kept of a list from everyone but its administrators', async () => {
    const member = await world.person('member');
    await world.join(member, far, 'member');
    const ask = (user: string) =>
      world.sql<{ total: string | null; version: string | null }>(
        `SELECT kept_total($1, 'environment') AS total, kept_version($1, 'environment') AS version
           FROM (SELECT set_config('armature.user', $2, true)) AS caller`,
        [far.organization, user],
      );
    for (const user of [member.id, owner.id, '']) expect(await ask(user)).toEqual([{ total: null, version: null }]);
    for (const user of [far.id, 'system'])
      expect(await ask(user)).toEqual([
        { total: expect.stringMatching(/^\d+$/), version: expect.stringMatching(/^\w{32}$/) },
      ]);
  });
});
