import { DataSource } from 'typeorm';
import { World } from './support/world.js';

let world: World;
beforeAll(async () => {
  world = await World.start({ DATABASE_POOL: '3' });
});
afterAll(() => world.stop());

it('answers 503 with Retry-After when no connection to the database becomes free', async () => {
  await world.admin.get('/api/environments');
  const held = Array.from({ length: 3 }, () => world.get(DataSource).createQueryRunner());
  for (const runner of held) await runner.connect();
  const { status, headers, body } = await world.admin.get('/api/environments');
  for (const runner of held) await runner.release();
  expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'TOO_BUSY', '5']);
  expect((await world.admin.get('/api/environments')).status).toBe(200);
});
