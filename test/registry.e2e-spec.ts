import { randomUUID } from 'node:crypto';
import { aComponent, aModel, aPackage } from '../src/registry/packages/package.fixture.js';
import type { Json, Person } from './support/person.js';
import { World } from './support/world.js';

let world: World;
let admin: Person;
let reader: Person;

beforeAll(async () => {
  world = await World.start();
  admin = world.admin;
  reader = await world.person();
});
afterAll(() => world.stop());

const base = '/api/meshmodels';

/** A package in base64, of a model of its own unless it is named. */
async function packed(files: Parameters<typeof aPackage>[0]): Promise<{ file: string; file_name: string }> {
  return { file: (await aPackage(files)).toString('base64'), file_name: 'package.tar.gz' };
}

const inModel = (name: string, version = '1.0.0') => ({ name, model: { version } });

async function register(files: Parameters<typeof aPackage>[0], more: object = {}): Promise<Json> {
  const { status, body } = await admin.post(`${base}/register`, { ...(await packed(files)), ...more });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

async function registerModel(name: string, kinds: string[], version = '1.0.0'): Promise<Json> {
  const model = aModel({ name, displayName: `The ${name}`, model: { version } });
  const components = kinds.map((kind) => [
    `components/${kind}.json`,
    aComponent({
      model: inModel(name, version),
      displayName: kind,
      component: { kind, version: 'example.org/v1', schema: '{"type":"object"}' },
    }),
  ]);
  return register({ 'model.json': model, ...Object.fromEntries(components) });
}

it('registers a package once, and says of the second time that nothing changed', async () => {
  const name = `model-${randomUUID()}`;
  const first = await registerModel(name, ['Alpha', 'Beta']);
  expect(first.counts).toEqual({ registered: 3, updated: 0, unchanged: 0, failed: 0 });
  expect(first.models).toMatchObject([{ name, version: '1.0.0', outcome: 'registered' }]);
  const second = await registerModel(name, ['Alpha', 'Beta']);
  expect(second.counts).toEqual({ registered: 0, updated: 0, unchanged: 3, failed: 0 });
  expect(second.components.map(({ id }: Json) => id)).toEqual(first.components.map(({ id }: Json) => id));
});

it('shows one row of a model in lists, its highest version, and every version under its name', async () => {
  const name = `model-${randomUUID()}`;
  for (const version of ['v1.9.0', 'v1.10.0', 'v1.2.0']) await registerModel(name, ['Alpha'], version);
  const { body: list } = await reader.get(`${base}/models?search=${name}`);
  expect(list).toMatchObject({
    page: 0,
    page_size: 25,
    count: 1,
    total_count: 1,
    models: [
      { name, version: 'v1.10.0', versions: ['v1.10.0', 'v1.9.0', 'v1.2.0'], duplicates: 2, components_count: 1 },
    ],
  });
  const { body: all } = await reader.get(`${base}/models/${name}?order=version desc`);
  expect(all.models.map((model: Json) => model.version)).toEqual(['v1.10.0', 'v1.9.0', 'v1.2.0']);
  const { body: one } = await reader.get(`${base}/models/${name}?version=v1.9.0`);
  expect(one).toMatchObject({ count: 1, models: [{ version: 'v1.9.0' }] });
});
