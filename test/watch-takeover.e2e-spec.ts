import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { compiledProgram } from './support/programs.js';
import { StubCluster } from './support/stub-cluster.js';
import { until } from './support/until.js';
import { done } from './support/workspace-scene.js';
import { World } from './support/world.js';

/** A lease lasts 10 seconds; the machine may be busy. */
const PATIENCE = 100_000;

describe('a watch whose server is killed', () => {
  let world: World;
  let stub: StubCluster;
  let url = '';
  const replicas: ChildProcess[] = [];

  const startReplica = async (): Promise<ChildProcess> => {
    const program = await compiledProgram('test/watch-replica.ts');
    const child = spawn(process.execPath, [program, url], { stdio: ['ignore', 'pipe', 'inherit'] });
    replicas.push(child);
    let said = '';
    child.stdout.on('data', (text) => (said += String(text)));
    await until(() => said.includes('ready') || child.exitCode !== null, PATIENCE);
    if (child.exitCode !== null) throw new Error(`the replica ended with ${child.exitCode}`);
    return child;
  };
  const watch = async (): Promise<Record<string, unknown> | undefined> =>
    (await world.sql('SELECT worker, status, synced_at, stale_since FROM cluster_watch'))[0];
  const idOf = async (name: string): Promise<unknown> =>
    (await world.sql<{ id: string }>('SELECT id FROM cluster_resource WHERE name = $1', [name]))[0]?.id;

  beforeAll(async () => {
    world = await World.start({}, (given) => (url = given));
    stub = await StubCluster.start();
    stub.put('first');
    const path = `/api/system/kubernetes?orgID=${world.organization}`;
    expect((await done(world.admin.post(path, { kubeconfig: stub.kubeconfig }))).connected).toHaveLength(1);
  }, 60_000);
  afterAll(async () => {
    for (const child of replicas)
      if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await once(child, 'exit');
    await world.stop();
    await stub.stop();
  });

  it('is taken over by another one, which goes on with what is known and misses no change', async () => {
    const first = await startReplica();
    await until(async () => (await watch())?.['status'] === 'watching', PATIENCE);
    const before = { id: await idOf('first'), worker: (await watch())?.['worker'] };
    await startReplica();
    stub.put('while-both-run');
    await until(async () => Boolean(await idOf('while-both-run')), PATIENCE);
    expect((await watch())?.['worker']).toBe(before.worker);
    expect(stub.followers).toBe(1);

    first.kill('SIGKILL');
    await once(first, 'exit');
    stub.put('while-nobody-watches');
    await until(async () => Boolean(await idOf('while-nobody-watches')), PATIENCE);
    await until(async () => (await watch())?.['status'] === 'watching', PATIENCE);
    expect(await watch()).toMatchObject({
      worker: expect.not.stringMatching(String(before.worker)),
      stale_since: null,
    });
    expect(await idOf('first')).toBe(before.id);
    expect(stub.followers).toBe(1);
  }, 500_000);
});
