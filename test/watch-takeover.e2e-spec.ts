import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { compiledProgram } from './support/programs.js';
import { SETTINGS } from './support/settings.js';
import { StubCluster } from './support/stub-cluster.js';
import { until } from './support/until.js';
import { done } from './support/workspace-scene.js';
import { World } from './support/world.js';

/** A lease lasts 10 seconds; the machine may be busy. */
const PATIENCE = 100_000;
const HEARTBEAT_MS = 2_500;

describe('a watch whose server is killed', () => {
  let world: World;
  let stub: StubCluster;
  let url = '';
  const replicas: ChildProcess[] = [];

  const startReplica = async (keys: Record<string, string> = {}): Promise<ChildProcess> => {
    const program = await compiledProgram('test/watch-replica.ts');
    const child = spawn(process.execPath, [program, url, JSON.stringify(keys)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    replicas.push(child);
    let said = '';
    child.stdout.on('data', (text) => (said += String(text)));
    await until(() => said.includes('ready') || child.exitCode !== null, PATIENCE);
    if (child.exitCode !== null) throw new Error(`the replica ended with ${child.exitCode}`);
    return child;
  };
  const digests = async (): Promise<unknown[]> =>
    (await world.sql('SELECT DISTINCT access_digest FROM cluster_watch')).map(({ access_digest }) => access_digest);
  /** The state that both connections have, each of which is watched on its own record. */
  const watch = async (): Promise<Record<string, unknown> | undefined> => {
    const [first, second, ...others] = await world.sql(
      'SELECT DISTINCT worker, status, synced_at IS NOT NULL AS synced, stale_since FROM cluster_watch',
    );
    return second || others.length > 0 ? undefined : first;
  };
  /** The ids of an object, which both connections show. */
  const idsOf = async (name: string): Promise<string[] | undefined> => {
    const query = 'SELECT id FROM cluster_resource WHERE name = $1 ORDER BY connection_id';
    const found = await world.sql<{ id: string }>(query, [name]);
    return found.length === 2 ? found.map(({ id }) => id) : undefined;
  };

  beforeAll(async () => {
    world = await World.start({}, (given) => (url = given));
    stub = await StubCluster.start();
    stub.put('first');
    const path = `/api/system/kubernetes?orgID=${world.organization}`;
    for (const name of ['stub', 'also']) {
      const { connected } = await done(world.admin.post(path, { kubeconfig: stub.kubeconfigOf('same', name) }));
      expect(connected).toHaveLength(1);
    }
  }, 60_000);
  afterAll(async () => {
    for (const child of replicas)
      if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await once(child, 'exit');
    await world.stop();
    await stub.stop();
  });

  it('is taken over by another one, also with a new encryption key, which goes on with what is known and misses no change', async () => {
    const first = await startReplica();
    await until(async () => (await watch())?.['status'] === 'watching', PATIENCE);
    await until(async () => Boolean(await idsOf('first')), PATIENCE);
    const before = { ids: await idsOf('first'), worker: (await watch())?.['worker'] };
    const known = await digests();
    expect(known).toHaveLength(1);
    await startReplica({
      ENCRYPTION_KEY: randomBytes(32).toString('hex'),
      ENCRYPTION_PREVIOUS_KEYS: SETTINGS.ENCRYPTION_KEY,
    });
    stub.put('while-both-run');
    await until(async () => Boolean(await idsOf('while-both-run')), PATIENCE);
    await sleep(2 * HEARTBEAT_MS);
    expect((await watch())?.['worker']).toBe(before.worker);
    expect(await digests()).toEqual(known);
    expect(stub.followers).toBe(1);

    first.kill('SIGKILL');
    await once(first, 'exit');
    stub.put('while-nobody-watches');
    await until(async () => Boolean(await idsOf('while-nobody-watches')), PATIENCE);
    await until(async () => (await watch())?.['status'] === 'watching', PATIENCE);
    expect(await watch()).toMatchObject({
      worker: expect.not.stringMatching(String(before.worker)),
      stale_since: null,
    });
    expect(await idsOf('first')).toEqual(before.ids);
    expect(await digests()).toEqual([expect.not.stringMatching(String(known[0]))]);
    expect(stub.followers).toBe(1);
  }, 500_000);
});
