import { DataSource } from 'typeorm';
import { migrate, NewerSchema } from '../src/core/database/migrate.js';
import { migrations } from '../src/migrations/migrations.js';
import { World } from './support/world.js';

const NEWEST = migrations.at(-1)?.name;

let world: World;
/** Signs in the owner of the tables. */
let ownerUrl: string;

beforeAll(async () => {
  world = await World.start({}, (url) => (ownerUrl = url));
});
afterAll(() => world.stop());

const ready = async (): Promise<unknown> => {
  const { status, body } = await world.stranger.get('/healthz/ready');
  return [status, body.checks.migrations.reason ?? body.checks.migrations.status, body.schema];
};

/** Changes the table of migrations as another version of this program would have done, in the name of its owner. */
async function asOwner(statement: string): Promise<unknown[]> {
  const owner = await new DataSource({ type: 'postgres', url: ownerUrl }).initialize();
  return owner.query<unknown[]>(statement).finally(() => owner.destroy());
}

it('is reported by readiness, and refused by a start', async () => {
  const schema = { known: NEWEST, applied: NEWEST, compatible: true };
  expect(await ready()).toEqual([200, 'ok', schema]);
  await asOwner(`INSERT INTO migration (timestamp, name) VALUES (1999999999999, 'Later1999999999999')`);
  expect(await ready()).toEqual([
    503,
    'the schema is of a later version: Later1999999999999',
    { known: NEWEST, applied: 'Later1999999999999', compatible: false },
  ]);
  await asOwner(`UPDATE applied_script SET digest = 'later' WHERE name = 'functions/append_events.sql'`);
  const start = migrate(ownerUrl, migrations);
  await expect(start).rejects.toThrow(NewerSchema);
  await expect(start).rejects.toThrow(
    'does not know Later1999999999999. Start the version that made it or a later one',
  );
  // Nor are the scripts of the later version replaced.
  expect(await asOwner(`SELECT name FROM applied_script WHERE digest = 'later'`)).toHaveLength(1);
  await asOwner(`DELETE FROM migration WHERE name = 'Later1999999999999'`);
  expect(await ready()).toEqual([200, 'ok', schema]);
});

it('is not taken for ready while a migration is missing', async () => {
  await asOwner(`UPDATE migration SET timestamp = 0, name = 'Kept' WHERE name = '${NEWEST}'`);
  expect(await ready()).toEqual([503, expect.stringMatching(/Kept/), expect.objectContaining({ compatible: false })]);
  await asOwner(`DELETE FROM migration WHERE name = 'Kept'`);
  expect(await ready()).toEqual([
    503,
    `not applied: ${NEWEST}`,
    expect.objectContaining({ known: NEWEST, compatible: false }),
  ]);
});
