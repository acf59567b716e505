import { randomUUID } from 'node:crypto';
import { UnitOfWork } from '../src/core/database/unit-of-work.js';
import { PlansStore } from '../src/deployments/plans/plans.store.js';
import { World } from './support/world.js';

const MANIFEST = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n';

let world: World;
let workspace: string;
beforeAll(async () => {
  world = await World.start();
  const { body } = await world.admin.post('/api/workspaces', { name: 'shop', organization_id: world.organization });
  workspace = body.id as string;
});
afterAll(() => world.stop());

const purge = (): Promise<void> => world.get(UnitOfWork).runAsSystem('a test', () => world.get(PlansStore).purge());

async function createDesign(): Promise<string> {
  const { body } = await world.admin.upload('/api/pattern/import', 'settings.yaml', MANIFEST, {
    workspace_id: workspace,
  });
  return body.id as string;
}

/** A version as a plan with values keeps one: of the content of the first. */
async function addVariant(design: string, number: number, age: string, variantOf: number | null = 1): Promise<void> {
  await world.sql(
    `INSERT INTO design_version (design_id, number, id, organization_id, version, user_id, source_type, variant_of, content, created_at)
     SELECT design_id, $2, gen_random_uuid(), organization_id, version, user_id, source_type, $3, content, now() - $4::interval
       FROM design_version WHERE design_id = $1 AND number = 1`,
    [design, number, variantOf, age],
  );
}

async function addPlan(design: string, version: number, age: string): Promise<void> {
  const { body } = await world.admin.post('/api/environments', {
    name: 'staging',
    organization_id: world.organization,
  });
  await world.sql(
    `INSERT INTO deployment_plan (id, organization_id, design_id, design_version, environment_id, connection_ids, fingerprints, created_at)
     VALUES ($1, $2, $3, $4, $5, '{}', '{}', now() - $6::interval)`,
    [randomUUID(), world.organization, design, version, body.id, age],
  );
}

async function addDeployment(design: string, version: number): Promise<void> {
  const { body } = await world.admin.post('/api/environments', {
    name: 'staging',
    organization_id: world.organization,
  });
  await world.sql(
    `INSERT INTO deployment (id, organization_id, workspace_id, design_id, design_version, environment_id, connection_ids, name, action, status)
     VALUES ($1, $2, $3, $4, $5, $6, '{}', 'shop', 'deploy', 'succeeded')`,
    [randomUUID(), world.organization, workspace, design, version, body.id],
  );
}

const versionsOf = async (design: string): Promise<number[]> =>
  (
    await world.sql<{ number: number }>('SELECT number FROM design_version WHERE design_id = $1 ORDER BY number', [
      design,
    ])
  ).map(({ number }) => number);

describe('A version that a plan with other values has kept', () => {
  it('is deleted after a day, once no plan, deployment, snapshot or other version refers to it', async () => {
    const design = await createDesign();
    for (const number of [2, 3, 4, 5, 6, 7, 8]) await addVariant(design, number, '2 days');
    await addVariant(design, 9, '2 days', 6);
    await addVariant(design, 10, '2 days');
    await addPlan(design, 2, '2 days');
    await addPlan(design, 3, '1 hour');
    await addDeployment(design, 4);
    const named = await world.admin.post(`/api/pattern/${design}/snapshots`, { name: 'kept', number: 5 });
    expect(named.status).toBe(201);
    await purge();
    // 6 is what 9 is a variant of; 10 has the highest number.
    expect(await versionsOf(design)).toEqual([1, 3, 4, 5, 6, 10]);
    await purge();
    expect(await versionsOf(design)).toEqual([1, 3, 4, 5, 10]);
  });

  it('stays for a day', async () => {
    const design = await createDesign();
    await addVariant(design, 2, '23 hours');
    await addVariant(design, 3, '1 minute');
    await purge();
    expect(await versionsOf(design)).toEqual([1, 2, 3]);
  });

  it('is not what designs were before', async () => {
    const design = await createDesign();
    await addVariant(design, 2, '2 days', null);
    await addVariant(design, 3, '2 days', null);
    await purge();
    expect(await versionsOf(design)).toEqual([1, 2, 3]);
  });
});
