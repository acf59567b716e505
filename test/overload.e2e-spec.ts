import { DataSource } from 'typeorm';
import pg from 'pg';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { createDataSource } from '../src/core/database/data-source.js';
import { DatabaseAvailability } from '../src/core/database/database-availability.js';
import type { Answer } from './support/person.js';
import { until } from './support/until.js';
import { World } from './support/world.js';

/** Longer than a connection may take to open. */
const BLOCKED_MS = 4_500;

let world: World;
let ownerUrl: string;
let owner: pg.Client;
beforeAll(async () => {
  world = await World.start({ DATABASE_POOL: '10' }, (url) => (ownerUrl = url));
  owner = new pg.Client(ownerUrl);
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await world.stop();
});

const pool = (): pg.Pool => (world.get(DataSource).driver as PostgresDriver).master as pg.Pool;

it('opens a connection again that was not opened in time because the process was busy', async () => {
  const dataSource = await createDataSource({ url: ownerUrl, role: 'owner', poolSize: 5 }).initialize();
  new DatabaseAvailability().guardPool(dataSource);
  const answers = Array.from({ length: 3 }, () => dataSource.query('SELECT 1 AS one'));
  await new Promise((resolve) => process.nextTick(resolve));
  const end = performance.now() + BLOCKED_MS;
  while (performance.now() < end);
  const rows = await Promise.all(answers);
  await dataSource.destroy();
  expect(rows).toEqual(Array(3).fill([{ one: 1 }]));
});

it('keeps a connection to the database free for other organizations, and answers 503 when none becomes free', async () => {
  const neighbour = await world.outsider();
  const { body } = await world.admin.post('/api/workspaces', { name: 'held', organization_id: world.organization });
  const path = `/api/workspaces/${body.id}`;
  await owner.query('BEGIN');
  await owner.query('SELECT FROM workspace WHERE id = $1 FOR UPDATE', [body.id]);
  const answers: Answer[] = [];
  const changes = Array.from({ length: 10 }, async (_, n) => {
    answers.push(await world.admin.put(path, { name: `name ${n}` }));
  });
  await until(() => pool().totalCount - pool().idleCount === 8);

  const started = performance.now();
  expect((await neighbour.get('/api/environments')).status).toBe(200);
  expect((await neighbour.put(path, { name: 'mine' })).status).toBe(404);
  expect(performance.now() - started).toBeLessThan(8_000);

  await until(() => answers.length === 2);
  for (const { status, body: late, headers } of answers)
    expect([status, late.code, headers.get('retry-after')]).toEqual([503, 'TOO_BUSY', '5']);
  await owner.query('ROLLBACK');
  await Promise.all(changes);
  for (const done of answers.slice(2)) expect(done.status).toBe(200);
});
